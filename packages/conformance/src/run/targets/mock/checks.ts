import { type Operation, operations } from '@cdn/api/contract'
import { acceptHeader, bodyTypeOf, call, type RequestParts } from '../../../exchange/call.ts'
import type { Check } from '../../../exchange/check.ts'
import { expect, Failure, oneStatus, value } from '../../../exchange/failure.ts'
import type { Decided } from '../../../exchange/requirements.ts'
import { dayOf, dayParameterOf } from '../../../exchange/resources.ts'
import { expectStatus, matchesStatus, seenStatus } from '../../../exchange/response.ts'
import { requiredParameters, resolverOf, schemaExample } from '../../../exchange/schema-example.ts'
import { validateBody } from '../../../exchange/validate-response.ts'

/**
 * Creates the checks of the mock: each stated status of each operation with a body of its schema, and 401 without credentials. These checks
 * test the contract, and do not count as coverage of the spec.
 */
export function mockChecks(): Decided[] {
  return operations.flatMap((operation) => [
    ...operation.responses.map(({ status }) => statedStatus(operation, status)),
    ...(operation.schemes.length > 0 ? [missingCredentials(operation)] : []),
  ])
}

function statedStatus(operation: Operation, status: string): Decided {
  return mockCheck(operation, status, `The mock answers ${status} as the contract states.`, async (context) => {
    const preferred = /^\d+$/.test(status) ? { Prefer: `code=${status}` } : undefined
    const { headers, ...valid } = validRequest(operation)
    const request = { ...valid, headers: { ...headers, ...preferred } }
    const response = await call(context, operation, request, { seeAnyStatus: true })
    // `Prefer` cannot select a range such as `4XX`, or `default`, so any stated status is right.
    const stated = preferred ? [status] : operation.responses.map((each) => each.status)
    const asStated = stated.some((candidate) => matchesStatus(candidate, response.status))
    expect(asStated, oneStatus(stated), () => seenStatus(response), { responses: [response] })
    const problem = validateBody(operation, response)
    if (problem) throw new Failure(value('a body that matches its schema'), problem, { responses: [response] })
  })
}

function missingCredentials(operation: Operation): Decided {
  const text = 'The mock answers 401 to a request without credentials.'
  return mockCheck(operation, 'no-credential', text, async (context) => {
    expectStatus(await call(context, operation, { ...validRequest(operation), credential: undefined }), 401)
  })
}

function validRequest(operation: Operation): RequestParts {
  const day = dayParameterOf(operation)
  const path = { ...requiredParameters(operation, 'path'), ...(day !== undefined && { [day]: dayOf(new Date()) }) }
  const headers = { Accept: acceptHeader(operation), ...requiredParameters(operation, 'header') }
  const mediaType = bodyTypeOf(operation) ?? ''
  const schema = operation.requestBody?.content[mediaType]
  const valid = { path, query: requiredParameters(operation), headers }
  if (!schema) return valid
  const isJson = mediaType.includes('json')
  return { ...valid, body: isJson ? schemaExample(schema, resolverOf(operation)) : new Uint8Array([0x89, 0x50]) }
}

/** Makes a check of the mock. Its source is never `spec`, because the spec states nothing about mocks. */
function mockCheck(operation: Operation, end: string, text: string, run: Check['run']): Decided {
  const id = `mock.${operation.name}.${end}`
  const { interface: name, effect } = operation
  return {
    requirement: { id, section: 'mock', text, source: 'supplement', interface: name },
    check: { id, requirements: [id], source: 'supplement', basis: 'supplement', effect, needs: [], run },
  }
}
