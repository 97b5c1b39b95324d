/** Checks of the input: a request that breaks a constraint is refused and has no effect, and no request makes the server fail. */
import type { Operation, StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { call, type RequestParts, resultOrLost, sufficientCredentials } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered, ReceivedResponse } from '../../exchange/exchange.ts'
import {
  type Expected,
  expect,
  Failure,
  LostResponse,
  oneStatus,
  refusal,
  Skip,
  success,
  value,
} from '../../exchange/failure.ts'
import {
  type ChecksOf,
  contractLists,
  type Decided,
  type Decision,
  decide,
  itemName,
  needsOf,
} from '../../exchange/requirements.ts'
import { fixturesOfOperation, idParameterOf } from '../../exchange/resources.ts'
import { isSuccess, jsonOf, seenStatus, snippet } from '../../exchange/response.ts'
import { states404 } from '../../rules/state/registers.ts'
import { isSweepable } from '../state/declared-state.ts'
import { basisOfPreparation } from '../success-status.ts'
import { exampleCases, type InputCase } from './input-cases.ts'
import {
  type Inputs,
  inputsOf,
  isServerError,
  judgeCases,
  sendCase,
  validCase,
  withCase,
  withText,
} from './send-cases.ts'

/** Returns the checks of the input of an operation; none for a write that no sweep can undo. */
export const inputChecks: ChecksOf = (operation) => {
  if (operation.effect !== 'read' && !isSweepable(operation)) return []
  const cases = exampleCases(operation)
  const parts = new Map(cases.flatMap(({ part, kind }) => (part && kind === 'broken' ? [[keyOf(part), part]] : [])))
  const uses = operation.rateLimit ? { uses: ['otherLoggedZoneId'] as const } : {}
  return [
    ...[...parts.values()].map((part) => refusals(operation, part)),
    ...(isSweepable(operation) && operation.action.kind !== 'create' ? [absentIds(operation)] : []),
    ...responses(operation, cases),
    robust(operation),
  ].map(({ requirement, check }) => ({ requirement, check: { ...check, ...uses } }))
}

/** The statuses that a contract may state for an invalid request; 422 is for a content that is not valid (RFC 9110 §15.5.21). */
const ofInvalid = ['400', '422'] as const
type OfInvalid = (typeof ofInvalid)[number]

/** Whether the contract states that a case is refused with this status. On the logging interface, 404 means something else (§7). */
function isStated(
  { responses, ...operation }: Operation,
  { kind, place }: InputCase,
  status: OfInvalid | '404',
): boolean {
  const isInvalid = kind === 'broken' && (status === '422' ? place === 'body' : place !== 'path')
  const isOf = status === '404' ? kind === 'absent' && operation.interface !== 'logging' : isInvalid
  return isOf && responses.some((response) => response.status === status)
}

type Part = NonNullable<InputCase['part']>

function keyOf({ field, constraint }: Part): string {
  return `${field}-${constraint}`
}

function isAbout({ part }: InputCase, other: Part): boolean {
  return part !== undefined && keyOf(part) === keyOf(other)
}

/** Throws a Failure if the response to a case is wrong. */
type Verify = (response: Answered, each: InputCase) => void

/** Makes a check that sends the selected cases. `afterwards` can send other requests. */
function ofCases(
  operation: Operation,
  details: Omit<Decision, 'run'>,
  select: (each: InputCase) => boolean,
  verify: Verify,
  afterwards: (context: CheckContext, inputs: Inputs) => Promise<void> = async () => {},
): Decided {
  const run = async (context: CheckContext) => {
    const inputs = await inputsOf(context, operation)
    const cases = inputs.cases.filter(select)
    if (cases.length === 0) throw new Skip('no such request can be made for this resource')
    await judgeCases(context, inputs, cases, verify)
    await afterwards(context, inputs)
  }
  const cases = exampleCases(operation).filter(select)
  return decide(operation, { ...details, sends: cases.map(({ label }) => label), run })
}

function isOfAbsent({ kind, place }: InputCase): boolean {
  return kind === 'absent' || (kind === 'broken' && place === 'path')
}

/**
 * Checks of the responses that the contract states: to invalid requests, for absent resources, and at the boundaries of
 * constraints.
 */
function responses(operation: Operation, cases: readonly InputCase[]): Decided[] {
  const { absent } = fixturesOfOperation(operation) ?? {}
  const stated = operation.responses.find(({ status }) => status.startsWith('2'))?.status ?? '2XX'
  const isBoundary = ({ kind, part }: InputCase) => kind === 'met' && part === undefined
  const expecting =
    (expected: (what: string) => Expected, isRight: (response: ReceivedResponse, each: InputCase) => boolean) =>
    (response: Answered, each: InputCase) =>
      expect(isRight(response, each), expected(each.label), () => seenStatus(response), { responses: [response] })
  // The account may have a resource with such an id. Then a success that shows this id is right.
  const notFound = expecting(
    (what) => oneStatus([404], what),
    (response, { kind, change }) =>
      kind === 'absent'
        ? response.status === 404 || (isSuccess(response) && isShown(response, change))
        : !isSuccess(response),
  )
  // Sends the id of the absent fixture with each sufficient credential, because the statuses of §7 do not depend on the scheme.
  const withEachCredential = async (context: CheckContext, inputs: Inputs) => {
    const id = absent && context.fixtures[absent]
    const each = inputs.cases.find(
      ({ kind, change }) => kind === 'absent' && change.path?.[idParameterOf(operation) ?? ''] === id,
    )
    if (!each || id === undefined) return
    const { request } = inputs
    const path = { ...request.path, ...each.change.path }
    for (const credential of sufficientCredentials(context, operation)) {
      const response = await resultOrLost(call(context, operation, { ...request, path, credential }))
      const isUsable = !(response instanceof LostResponse || isServerError(response))
      const again = () => sendCase(context, { ...inputs, request: { ...request, credential } }, each)
      notFound(isUsable ? response : await again(), each)
    }
  }
  const needs = absent && [...needsOf(operation), absent]
  const missing = { decides: '<operation>.404', ...(needs && { needs }) } as const
  const valid = {
    decides:
      contractLists(operation, '2xx') || stated === '2XX'
        ? '<operation>.2xx/boundaries'
        : '<operation>.<status>/boundaries',
    values: { status: stated },
  } as const
  const basis = 'supplement'
  const decidedBy = { '400': '<operation>.400/constraints', '422': '<operation>.422/constraints' } as const
  const refusedWith = (status: OfInvalid) => {
    const isSent = (each: InputCase) => isStated(operation, each, status)
    const verify: Verify = (response, each) => {
      // If the contract states both statuses, either may answer an invalid body.
      const permitted = ofInvalid.filter((one) => isStated(operation, each, one))
      const isRight = permitted.some((one) => one === String(response.status))
      expect(isRight, oneStatus(permitted, each.label), () => seenStatus(response), { responses: [response] })
    }
    return cases.some(isSent) && ofCases(operation, { decides: decidedBy[status], basis }, isSent, verify)
  }
  return [
    ...ofInvalid.map(refusedWith),
    cases.some((each) => isStated(operation, each, '404')) &&
      ofCases(operation, missing, isOfAbsent, notFound, withEachCredential),
    cases.some(isBoundary) && ofCases(operation, { ...valid, basis }, isBoundary, expecting(success, isSuccess)),
  ].filter((drafted) => drafted !== false)
}

function isShown(response: ReceivedResponse, { path = {} }: RequestParts): boolean {
  const id = response.text === '' ? undefined : toRecord(jsonOf(response))['Id']
  return Object.values(path).includes(String(id))
}

/** Checks that a body that breaks a constraint is refused, and that one at the boundary of the constraint is accepted (§4, §8). */
function refusals(operation: Operation, part: Part): Decided {
  const is = (kind: InputCase['kind']) => (each: InputCase) => isAbout(each, part) && each.kind === kind
  const verify: Verify = (response, { label }) =>
    expect(!isSuccess(response), refusal(label), () => seenStatus(response), { responses: [response] })
  return ofCases(
    operation,
    {
      decides: part.field === '' ? '<operation>.request-object' : '<operation>.<field>-<constraint>',
      values: part,
      ...basisOfPreparation(operation),
    },
    is('broken'),
    verify,
    async (context, inputs) => {
      await judgeCases(context, inputs, inputs.cases.filter(is('broken')), (response) => {
        if (isServerError(response))
          throw new Skip(`inconclusive: status ${response.status} is not a deliberate refusal`)
      })
      // A server that refuses every request does not validate the body.
      const control = await context.once(`control of ${operation.name}`, () => sendCase(context, inputs, validCase))
      if (!isSuccess(control)) throw new Skip(`inconclusive: a valid body is refused, too (status ${control.status})`)
      await judgeCases(context, inputs, inputs.cases.filter(is('met')), (response, { label }) =>
        expect(isSuccess(response), success(label), () => seenStatus(response), { responses: [response] }),
      )
    },
  )
}

/** Checks that a request for an id that no item has changes nothing, and is refused if the contract states a 404. */
function absentIds(operation: StatedOperation): Decided {
  const { absent } = fixturesOfOperation(operation) ?? {}
  const needs = [...needsOf(operation), ...(absent === undefined ? [] : [absent])]
  const details = {
    decides: ['<operation>.<item>-id/absent', '<operation>.id/absent'],
    values: itemName(operation),
    part: 'an id that does not exist',
    needs,
  } as const
  return ofCases(operation, { ...details, basis: 'supplement' }, isOfAbsent, (response, { label }) =>
    expect(!states404(operation) || !isSuccess(response), refusal(label), () => seenStatus(response), {
      responses: [response],
    }),
  )
}

/**
 * Checks that no request makes the server fail, and that a refused request changes nothing. The spec states neither in general, so
 * the source is `robustness`. If the contract states the status of a case, the check of this status reports a server error.
 */
function robust(operation: Operation): Decided {
  const hasStatus = (each: InputCase) => [...ofInvalid, '404' as const].some((one) => isStated(operation, each, one))
  const isSent = (each: InputCase) => each.kind !== 'met' && (operation.effect !== 'read' || !hasStatus(each))
  return decide(operation, {
    decides: '<operation>.robustness',
    run: async (context) => {
      const inputs = await inputsOf(context, operation)
      const statuses: Record<string, number> = {}
      const crashes: InputCase[] = []
      await judgeCases(context, inputs, inputs.cases.filter(isSent), (response, each) => {
        statuses[each.label] = response.status
        if (isServerError(response) && !hasStatus(each)) crashes.push(each)
      })
      context.observe(`${operation.interface}.${operation.name}.input`, statuses)
      if (crashes[0]) await failOnCrash(context, inputs, crashes[0], crashes.length)
    },
  })
}

/** Maximum number of characters that are sent alone to shrink a text. */
const maxCharacters = 30

/**
 * Reports a crash, with the first character of its text that makes the server fail alone, if there is one.
 *
 * @throws Failure for the crash; Skip if the server does not fail again
 */
async function failOnCrash(context: CheckContext, inputs: Inputs, crash: InputCase, count: number): Promise<never> {
  for (const text of [...new Set([...(crash.text ?? '')].slice(0, maxCharacters)), crash.text]) {
    const smallest = withText(crash, text)
    const shown = await sendCase(context, inputs, smallest)
    if (!isServerError(shown)) continue
    const what = `${smallest.label}${smallest.text === undefined ? '' : ` (${snippet(smallest.text)})`}`
    const failure = new Failure(
      value(`no server error for ${what}`),
      { ...seenStatus(shown), count },
      { responses: [shown] },
    )
    throw withCase(failure, inputs.operation, smallest)
  }
  throw new Skip(`inconclusive: ${crash.label} did not make the server fail again`)
}
