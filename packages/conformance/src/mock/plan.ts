import { createLoggingClient, createManagementClient, LoggingError, ManagementError } from '@cdn/api'
import { type Operation, operations, type Parameter, type Requirement } from '@cdn/api/contract'
import { type Answer, describe, expectStatus, matchesStatus, snippet } from '../answer.ts'
import { call, type Request } from '../call.ts'
import type { Check, CheckContext } from '../check.ts'
import { exampleOf, parameterExample, type Resolve, resolverOf } from '../example.ts'
import { expect, need, Skip } from '../failure.ts'
import { brokenBodies } from '../laws/request-body.ts'
import type { Plan } from '../plan.ts'
import { dayOf } from '../resources.ts'
import { judgeBody } from '../wire/judge.ts'
import { deviations } from './deviations.ts'

/**
 * The checks of the mock: each stated status of each operation, missing credentials, a body of the wrong shape, and the
 * list of Prism's own deviations. They test the contract, and count for nothing in the coverage of the document.
 */
export function createMockPlan(): Plan {
  const drafted = [...operations.flatMap(checksOf), ...deviations.map(deviationCheck)]
  return { checks: drafted.map(({ check }) => check), requirements: drafted.map(({ requirement }) => requirement) }
}

interface Drafted {
  readonly check: Check
  readonly requirement: Requirement
}

function checksOf(operation: Operation): Drafted[] {
  return [
    ...operation.responses.map(({ status }) => statedStatus(operation, status)),
    ...(operation.schemes.length > 0 ? [missingCredentials(operation)] : []),
    ...wrongShapes(operation),
  ]
}

function statedStatus(operation: Operation, status: string): Drafted {
  return draft(operation, status, `The mock answers ${status} as the contract states it.`, async (context) => {
    const preferred = /^\d+$/.test(status) ? { Prefer: `code=${status}` } : undefined
    const { headers, ...valid } = validRequest(operation)
    const request = { ...valid, headers: { ...headers, ...preferred } }
    const answer = await call(context, operation, request, { seeTrouble: true })
    // A range or `default` cannot be asked for; what comes then is any stated answer.
    const stated = preferred ? [status] : operation.responses.map((response) => response.status)
    const asStated = stated.some((candidate) => matchesStatus(candidate, answer.status))
    expect(asStated, `status ${stated.join(' or ')}`, () => `${describe(answer)} with ${snippet(answer.text)}`)
    const problem = judgeBody(operation, 'full', answer)
    expect(problem === undefined, 'a body that matches its schema', problem ?? '')
    if (answer.status < 300 || answer.status >= 400) await readsAsStated(context, operation, request, answer)
  })
}

type LooseCall = (path: string, options: object) => Promise<{ error?: unknown; response?: globalThis.Response }>

/** The client of `@cdn/api` gives a success as data and everything else as an error value with the same status. */
async function readsAsStated(
  context: CheckContext,
  operation: Operation,
  { path, query, headers, body }: Request,
  answer: Answer,
): Promise<void> {
  const options = { accessKey: need(context.fixtures.credentials.accessKey, 'accessKey'), fetch: context.fetch }
  const client =
    operation.interface === 'management'
      ? createManagementClient({ ...options, baseUrl: context.management })
      : createLoggingClient({ ...options, baseUrl: context.logging })
  const send = client[operation.method.toUpperCase() as keyof typeof client] as unknown as LooseCall | undefined
  if (!send) throw new Skip(`the client has no ${operation.method.toUpperCase()}`)
  const isText = !/json/.test(answer.headers.get('content-type') ?? 'json')
  const [mediaType = ''] = Object.keys(operation.requestBody?.content ?? {})
  const sent = { ...(body !== undefined && { 'Content-Type': mediaType }), ...headers }
  const call = { params: { path, query }, headers: sent, body, ...(isText && { parseAs: 'text' }) }
  const { error, response } = await send(operation.path, call)
  const isError = error instanceof ManagementError || error instanceof LoggingError
  const stated = response?.ok ? error === undefined : isError && error.status === response?.status
  expect(stated, 'what the client makes of a stated answer', `${response?.status}: ${error}`)
}

function missingCredentials(operation: Operation): Drafted {
  return draft(operation, 'no-credential', 'The mock answers 401 where no credential is sent.', async (context) => {
    expectStatus(await call(context, operation, { ...validRequest(operation), credential: undefined }), 401)
  })
}

function wrongShapes(operation: Operation): Drafted[] {
  const schema = operation.requestBody?.content['application/json']
  if (!schema) return []
  // Prism answers 422 of its own where the contract lists neither.
  const statuses = ['400', '422'].filter((status) => operation.responses.some((stated) => stated.status === status))
  const refused = statuses.length === 1 ? statuses : ['400', '422']
  return brokenBodies(schema, undefined).map(({ slug, body }) =>
    draft(operation, slug, 'The mock refuses a body of the wrong shape.', async (context) => {
      const request = validRequest(operation)
      const answer = await call(context, operation, {
        ...request,
        body: body(request.body as Record<string, unknown>),
      })
      const isRefused = refused.includes(String(answer.status))
      expect(isRefused, `status ${refused.join(' or ')}`, () => `${describe(answer)} with ${snippet(answer.text)}`)
    }),
  )
}

/** A request with which nothing is wrong: what its operation demands, made from the schemas. */
function validRequest(operation: Operation): Request {
  const resolve = resolverOf(operation)
  const required = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place && parameter.required)
  const values = (place: Parameter['in']) =>
    Object.fromEntries(required(place).map((parameter) => [parameter.name, parameterExample(parameter, resolve)]))
  const path = { ...values('path'), ...('date' in values('path') && { date: dayOf(new Date()) }) }
  const body = validBody(operation, resolve)
  return { path, query: values('query'), headers: values('header'), ...(body !== undefined && { body }) }
}

function validBody(operation: Operation, resolve: Resolve): unknown {
  const [mediaType, schema] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (mediaType === undefined || !schema) return undefined
  if (/json/.test(mediaType)) return exampleOf(schema, resolve) ?? {}
  if (/form/.test(mediaType)) throw new Skip(`the client sends no ${mediaType}`)
  return new Uint8Array([0x89, 0x50, 0x4e, 0x47])
}

function draft(operation: Operation, slug: string, text: string, run: Check['run']): Drafted {
  return toDrafted(`mock.${operation.name}.${slug}`, text, operation, run)
}

function deviationCheck({ id, text, reason, run }: (typeof deviations)[number]): Drafted {
  const name = `mock.deviation.${id}`
  return toDrafted(name, text, { interface: 'management', effect: 'read' }, async (context) => {
    await run(context)
    context.observe(name, `${text} ${reason}`)
  })
}

/** What a mock does is nobody's claim in the document, so its rows never have that ground. */
function toDrafted(
  id: string,
  text: string,
  { interface: name, effect }: Pick<Operation, 'interface' | 'effect'>,
  run: Check['run'],
): Drafted {
  return {
    requirement: { id, section: 'mock', text, ground: 'supplement', interface: name },
    check: { id, requirements: [id], ground: 'supplement', through: 'supplement', effect, needs: [], run },
  }
}
