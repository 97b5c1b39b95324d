import { createLoggingClient, createManagementClient } from '@cdn/api'
import { type InterfaceName, type Operation, operations, type Parameter, type Resolve } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'

import { requiredParameters, resolverOf, schemaExample } from '../../../cases/example.ts'
import { inputCases } from '../../../cases/input/cases.ts'
import { dayOf, dayParameterOf } from '../../../cases/resources.ts'
import type { Decided } from '../../../requirements.ts'
import { acceptHeader, bodyTypeOf, call, type Request, schemeOf, validCredential } from '../../call.ts'
import type { Check, CheckContext } from '../../check.ts'
import { expect, Skip } from '../../failure.ts'
import { expectStatus, matchesStatus, type ReceivedResponse, withBody } from '../../response.ts'
import { validateBody } from '../../validate-exchange.ts'

/**
 * Creates the checks of the mock: each stated status of each operation, missing credentials, and invalid bodies. These
 * checks test the contract, and do not count as coverage of the spec.
 *
 * @param interfaces names of the interfaces to check; all by default
 */
export function mockChecks(interfaces?: readonly InterfaceName[]): Decided[] {
  return operations.filter((operation) => interfaces?.includes(operation.interface) ?? true).flatMap(checksOf)
}

function checksOf(operation: Operation): Decided[] {
  return [
    ...operation.responses.map(({ status }) => statedStatus(operation, status)),
    ...(operation.schemes.length > 0 ? [missingCredentials(operation)] : []),
    ...wrongShapes(operation),
  ]
}

function statedStatus(operation: Operation, status: string): Decided {
  return draft(operation, status, `The mock answers ${status} as the contract states.`, async (context) => {
    const preferred = /^\d+$/.test(status) ? { Prefer: `code=${status}` } : undefined
    const { headers, ...valid } = validRequest(operation)
    const request = { ...valid, headers: { ...headers, ...preferred } }
    const response = await call(context, operation, request, { seeAnyStatus: true })
    // A client cannot request a range or `default`, so any stated status is right.
    const stated = preferred ? [status] : operation.responses.map((each) => each.status)
    const asStated = stated.some((candidate) => matchesStatus(candidate, response.status))
    expect(asStated, `status ${stated.join(' or ')}`, () => withBody(response))
    const problem = validateBody(operation, response)
    expect(problem === undefined, 'a body that matches its schema', String(problem))
    if (response.status < 300 || response.status >= 400) await readsAsStated(context, operation, request, response)
  })
}

type LooseRequest = (
  method: string,
  path: string,
  options: object,
) => Promise<{ error?: unknown; response: globalThis.Response }>

/** Checks that the client of `@cdn/api` returns a success as data, and any other response as an error with its status. */
async function readsAsStated(
  context: CheckContext,
  operation: Operation,
  { path, query, headers, body }: Request,
  response: ReceivedResponse,
): Promise<void> {
  const { scheme, value } = validCredential(context, operation) ?? {}
  const kind = scheme === undefined ? undefined : schemeOf(operation, scheme).kind
  const baseUrl = context.bases[operation.interface]
  const credential = kind === 'bearer' ? { bearer: value } : { accessKey: value }
  const create = operation.interface === 'management' ? createManagementClient : createLoggingClient
  const client = create({ ...credential, fetch: context.fetch, baseUrl })
  // The operation is known only at run time, so the compiler cannot check its parameters.
  const send = client.request as unknown as LooseRequest
  const isText = !/json/.test(response.headers.get('content-type') ?? 'json')
  const sent = { ...(body !== undefined && { 'Content-Type': bodyTypeOf(operation) }), ...headers }
  const call = { params: { path, query }, headers: sent, body, ...(isText && { parseAs: 'text' }) }
  const { error, response: received } = await send(operation.method, operation.path, call)
  const isRead = received.ok ? error === undefined : Boolean(error)
  expect(
    isRead && received.status === response.status,
    'the result of the client for a stated response',
    () => `${received.status}: ${JSON.stringify(error)}`,
  )
}

function missingCredentials(operation: Operation): Decided {
  const text = 'The mock answers 401 to a request without credentials.'
  return draft(operation, 'no-credential', text, async (context) => {
    expectStatus(await call(context, operation, { ...validRequest(operation), credential: undefined }), 401)
  })
}

function wrongShapes(operation: Operation): Decided[] {
  const schema = operation.requestBody?.content['application/json']
  if (!schema) return []
  // If the contract lists neither status, Prism answers 422.
  const statuses = ['400', '422'].filter((status) => operation.responses.some((stated) => stated.status === status))
  const refused = statuses.length === 1 ? statuses : ['400', '422']
  const cases = inputCases(operation, { request: validRequest(operation), now: new Date() })
  // Prism does not answer a body that is not JSON, and reads an empty one and `null` as a missing one.
  const broken = cases.filter(
    ({ kind, place, constraint, change: { body } }) =>
      kind === 'broken' && place === 'body' && constraint && body && body !== 'null',
  )
  return [
    ...Map.groupBy(broken, ({ part }) => [part?.field, part?.constraint].filter(Boolean).join('-') || 'request-object'),
  ].map(([slug, group]) =>
    draft(operation, slug, 'The mock refuses a body of the wrong shape.', async (context) => {
      for (const { label, change } of group) {
        const response = await call(context, operation, { ...validRequest(operation), ...change })
        const isRefused = refused.includes(String(response.status))
        expect(isRefused, `status ${refused.join(' or ')} for ${label}`, () => withBody(response))
      }
    }),
  )
}

function validRequest(operation: Operation): Request {
  const resolve = resolverOf(operation)
  const isNested = ({ in: place, required, schema }: Parameter) =>
    place === 'query' && required && isRecord(schemaExample(schema, resolve))
  if (operation.parameters.some(isNested)) throw new Skip('the client does not support nested values in a query')
  const day = dayParameterOf(operation)
  const path = { ...requiredParameters(operation, 'path'), ...(day !== undefined && { [day]: dayOf(new Date()) }) }
  const body = validBody(operation, resolve)
  const headers = { Accept: acceptHeader(operation), ...requiredParameters(operation, 'header') }
  return { path, query: requiredParameters(operation), headers, ...(body !== undefined && { body }) }
}

function validBody(operation: Operation, resolve: Resolve): unknown {
  const mediaType = bodyTypeOf(operation)
  const schema = mediaType === undefined ? undefined : operation.requestBody?.content[mediaType]
  if (mediaType === undefined || !schema) return undefined
  if (/json/.test(mediaType)) return schemaExample(schema, resolve) ?? {}
  if (/form/.test(mediaType)) {
    const fields = toRecord(schemaExample(schema, resolve))
    const isNested = Object.values(fields).some((value) => typeof value === 'object')
    if (!isNested && /urlencoded/.test(mediaType)) return fields
    throw new Skip(`the client does not support ${isNested ? 'nested values in ' : ''}${mediaType}`)
  }
  return new Uint8Array([0x89, 0x50, 0x4e, 0x47])
}

/** Makes a check of the mock. Its source is never `spec`, because the spec states nothing about mocks. */
function draft(operation: Operation, slug: string, text: string, run: Check['run']): Decided {
  const id = `mock.${operation.name}.${slug}`
  const { interface: name, effect } = operation
  return {
    requirement: { id, section: 'mock', text, source: 'supplement', interface: name },
    check: { id, requirements: [id], source: 'supplement', basis: 'supplement', effect, needs: [], run },
  }
}
