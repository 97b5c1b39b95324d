import { alterResponse, editJson, editText } from '../alter.ts'
import { mutant, type ServerMutant } from '../mutant.ts'

const some = ['delete-watermark', 'add-allowed-referrer', 'get-pull-zone']

/** Mistakes about the error bodies of the management interface (§2, §7). */
export const errorMutants: readonly ServerMutant[] = [
  mutant(
    'error.html',
    'A 401 is a page of HTML.',
    ['management.errors.object'],
    alterResponse(some, (response) => editText(response, 401, () => '<html>Unauthorized</html>')),
  ),
  mutant(
    'error.text',
    'A 404 is a JSON string.',
    ['management.errors.object'],
    alterResponse(some, (response) => editJson(response, 404, (body) => body['Message'])),
  ),
  mutant(
    'error.null-message',
    'Message of a 401 is null.',
    ['management.errors.message'],
    alterResponse(some, (response) => editJson(response, 401, (body) => ({ ...body, Message: null }))),
  ),
  mutant(
    'error.wrapped',
    'The error body of add-allowed-referrer is wrapped in a field.',
    ['management.add-allowed-referrer.error-body'],
    alterResponse(['add-allowed-referrer'], (response) => editJson(response, 400, (body) => ({ Error: body }))),
  ),
  mutant(
    'error.problem-details',
    'The errors of delete-watermark are problem details (RFC 9457).',
    ['management.errors.object'],
    alterResponse(['delete-watermark'], (response) =>
      response.status < 400
        ? response
        : { ...response, body: JSON.stringify({ type: 'about:blank', title: 'Error', status: response.status }) },
    ),
  ),
  ...[401, 404].map((status) =>
    mutant(
      `error.empty-${status}`,
      `A ${status} of add-allowed-referrer has no body.`,
      ['management.add-allowed-referrer.error-body'],
      alterResponse(['add-allowed-referrer'], (response) =>
        response.status === status ? { ...response, body: null } : response,
      ),
    ),
  ),
  mutant(
    'error.empty',
    'The error of add-allowed-referrer has no body.',
    ['management.add-allowed-referrer.error-body'],
    alterResponse(['add-allowed-referrer'], (response) =>
      response.status === 400 ? { ...response, body: null } : response,
    ),
  ),
]
