import { alterAnswer, editJson, editText } from '../alter.ts'
import { mutant, type ServerMutant } from '../mutant.ts'

const some = ['delete-watermark', 'add-allowed-referrer', 'get-pull-zone']

/** Mistakes about the error bodies of the management interface (§2, §7). */
export const errorMutants: readonly ServerMutant[] = [
  mutant(
    'error.html',
    'A 401 is a page of HTML.',
    ['management.errors.object'],
    alterAnswer(some, (answer) => editText(answer, 401, () => '<html>Unauthorized</html>')),
  ),
  mutant(
    'error.text',
    'A 404 is a JSON string.',
    ['management.errors.object'],
    alterAnswer(some, (answer) => editJson(answer, 404, (body) => body['Message'])),
  ),
  mutant(
    'error.null-message',
    'Message of a 401 is null.',
    ['management.errors.message'],
    alterAnswer(some, (answer) => editJson(answer, 401, (body) => ({ ...body, Message: null }))),
  ),
  mutant(
    'error.wrapped',
    'The error body of add-allowed-referrer is wrapped in a field.',
    ['management.add-allowed-referrer.error-body'],
    alterAnswer(['add-allowed-referrer'], (answer) => editJson(answer, 400, (body) => ({ Error: body }))),
  ),
  mutant(
    'error.problem-details',
    'The errors of delete-watermark are problem details (RFC 9457).',
    ['management.errors.object'],
    alterAnswer(['delete-watermark'], (answer) =>
      answer.status < 400
        ? answer
        : { ...answer, body: JSON.stringify({ type: 'about:blank', title: 'Error', status: answer.status }) },
    ),
  ),
  ...[401, 404].map((status) =>
    mutant(
      `error.empty-${status}`,
      `A ${status} of add-allowed-referrer has no body.`,
      ['management.add-allowed-referrer.error-body'],
      alterAnswer(['add-allowed-referrer'], (answer) =>
        answer.status === status ? { ...answer, body: null } : answer,
      ),
    ),
  ),
  mutant(
    'error.empty',
    'The error of add-allowed-referrer has no body.',
    ['management.add-allowed-referrer.error-body'],
    alterAnswer(['add-allowed-referrer'], (answer) => (answer.status === 400 ? { ...answer, body: null } : answer)),
  ),
]
