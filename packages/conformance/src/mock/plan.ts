import { createLoggingClient, createManagementClient, LoggingError, ManagementError } from '@cdn/api'
import { type Operation, operations, type Parameter, type Requirement } from '@cdn/api/contract'
import { expectStatus } from '../answer.ts'
import { call, type Request } from '../call.ts'
import type { Check, CheckContext } from '../check.ts'
import { expect, need } from '../failure.ts'
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
    const request = { ...validRequest(operation), headers: { Prefer: `code=${status}` } }
    const answer = await call(context, operation, request, { seeRateLimit: true })
    expectStatus(answer, Number(status))
    const problem = judgeBody(operation, 'full', answer)
    expect(problem === undefined, 'a body that matches its schema', problem ?? '')
    await readsAsStated(context, operation, request)
  })
}

type LooseCall = (path: string, options: object) => Promise<{ error?: unknown; response?: globalThis.Response }>

/** The client of `@cdn/api` gives a success as data and everything else as an error value with the same status. */
async function readsAsStated(context: CheckContext, operation: Operation, { headers, body }: Request): Promise<void> {
  const options = { accessKey: need(context.fixtures.credentials.accessKey, 'accessKey'), fetch: context.fetch }
  const client =
    operation.interface === 'management'
      ? createManagementClient({ ...options, baseUrl: context.management })
      : createLoggingClient({ ...options, baseUrl: context.logging })
  const send = client[operation.method.toUpperCase() as keyof typeof client] as unknown as LooseCall
  const params = {
    path: Object.fromEntries(operation.parameters.filter(isInPath).map(({ name }) => [name, pathValue(name)])),
  }
  const text = Object.keys(operation.responses[0]?.content ?? {}).some((type) => type.startsWith('text/'))
  const { error, response } = await send(operation.path, { params, headers, body, ...(text && { parseAs: 'text' }) })
  const isError = error instanceof ManagementError || error instanceof LoggingError
  const stated = response?.ok ? error === undefined : isError && error.status === response?.status
  expect(stated, 'what the client makes of a stated answer', `${response?.status}: ${error}`)
}

function isInPath({ in: place }: Parameter): boolean {
  return place === 'path'
}

function pathValue(name: string): number | string {
  return name === 'date' ? dayOf(new Date()) : 1
}

function missingCredentials(operation: Operation): Drafted {
  return draft(operation, 'no-credential', 'The mock answers 401 where no credential is sent.', async (context) => {
    expectStatus(await call(context, operation, { ...validRequest(operation), credential: undefined }), 401)
  })
}

function wrongShapes(operation: Operation): Drafted[] {
  const schema = operation.requestBody?.content['application/json']
  if (!schema) return []
  return brokenBodies(schema, undefined).map(({ slug, body }) =>
    draft(operation, slug, 'The mock refuses a body of the wrong shape.', async (context) => {
      expectStatus(await call(context, operation, { body: body(validBody(operation)) }), 400)
    }),
  )
}

function validRequest(operation: Operation): Request {
  if (!operation.requestBody) return {}
  return 'application/json' in operation.requestBody.content
    ? { body: validBody(operation) }
    : { body: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) }
}

/** A body with a string in every required field. */
function validBody(operation: Operation): Record<string, unknown> {
  const schema = operation.requestBody?.content['application/json']
  return Object.fromEntries(
    ((schema?.['required'] ?? []) as string[]).map((name) => [name, 'mock.conformance.invalid']),
  )
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
