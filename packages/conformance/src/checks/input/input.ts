/** One property of the input: what breaks a constraint is refused without an effect, and nothing makes the server fail. */
import type { Operation, StatedOperation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { call, type Request } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Failure, Skip } from '../../core/failure.ts'
import { describeResponse, isSuccess, jsonOf, type ReceivedResponse, snippet, withBody } from '../../core/response.ts'
import {
  type ContractChecks,
  type Draft,
  type Drafted,
  draft,
  isListed,
  needsOf,
  toSlug,
} from '../contract/contract-checks.ts'
import { preparedThrough, validCall } from '../contract/success.ts'
import { resourceOf } from '../resources.ts'
import { addValue, attempt, confirmed, failOn, type StateDifference } from '../state/attempt.ts'
import { itemLines, itemsOfFixtures } from '../state/items.ts'
import {
  currentState,
  isUndoable,
  itemsFor,
  makeVisible,
  observeUntil,
  same,
  validChange,
  writeOf,
} from '../state/requests.ts'
import { sufficientCredentials } from '../state/state-checks.ts'
import { exampleCases, type InputCase } from './cases.ts'
import { changed, type Inputs, inputsOf, isServerError, naming, sendCases, withText } from './send.ts'

/** Checks of the input of an operation. A write is sent only if the suite can undo it. */
export const input: ContractChecks = (operation) => {
  if (operation.effect !== 'read' && !isUndoable(operation)) return []
  const cases = exampleCases(operation)
  const slugs = new Set(cases.flatMap(({ slug, kind }) => (slug && kind === 'broken' ? [slug] : [])))
  const uses = operation.rateLimit ? { uses: ['otherLoggedZoneId'] as const } : {}
  return [
    ...[...slugs].flatMap((slug) => [invalidBody(operation, slug, false), invalidBody(operation, slug, true)]),
    ...expectationsOf(operation)
      .filter(({ select }) => select(cases).length > 0)
      .map((expectation) => asExpected(operation, expectation)),
    ...(resourceOf(operation) && operation.interface === 'management' ? errorBodies(operation) : []),
    robust(operation),
  ].map(({ requirement, check }) => ({ requirement, check: { ...check, ...uses } }))
}

/** Whether the contract states that a case is refused with this status. On the logging interface, 404 means something else (§7). */
function isStated({ responses, ...operation }: Operation, { kind, place }: InputCase, status: '400' | '404'): boolean {
  const isOf =
    status === '400' ? kind === 'broken' && place !== 'path' : kind === 'absent' && operation.interface !== 'logging'
  return isOf && responses.some((response) => response.status === status)
}

/** Cases whose response the contract states. */
interface Expectation extends Omit<Draft, 'run'> {
  readonly select: (cases: readonly InputCase[]) => readonly InputCase[]
  readonly prepare?: 'prepare'
  readonly expected: string
  isRight(response: ReceivedResponse, each: InputCase): boolean
}

function expectationsOf(operation: Operation): Expectation[] {
  const resource = resourceOf(operation)
  const success = operation.responses.find(({ status }) => status.startsWith('2'))?.status ?? '2XX'
  return [
    {
      slug: '400',
      aspect: 'constraints',
      text: 'A request that is not valid is answered 400.',
      basis: 'supplement',
      select: (cases) => cases.filter((each) => isStated(operation, each, '400')),
      expected: 'status 400',
      isRight: ({ status }) => status === 400,
    },
    {
      slug: '404',
      text: 'A resource that does not exist is answered 404.',
      ...(resource && { needs: [...needsOf(operation), resource.absent] }),
      select: (cases) =>
        cases.some((each) => isStated(operation, each, '404'))
          ? cases.filter(({ kind, place }) => kind === 'absent' || (kind === 'broken' && place === 'path'))
          : [],
      expected: 'status 404, or another refusal of an invalid id',
      // The account may have a resource with such an id.
      isRight: (response, { kind, change }) =>
        kind === 'absent'
          ? response.status === 404 || (isSuccess(response) && isShown(response, change))
          : !isSuccess(response),
    },
    {
      slug: isListed(operation, '2xx') ? '2xx' : success,
      aspect: 'boundaries',
      text: 'A valid request succeeds.',
      basis: 'supplement',
      prepare: 'prepare',
      select: (cases) => cases.filter(({ kind, slug }) => kind === 'met' && slug === undefined),
      expected: 'a success',
      isRight: isSuccess,
    },
  ]
}

function asExpected(operation: Operation, { select, prepare, expected, isRight, ...rest }: Expectation): Drafted {
  return draft(operation, {
    ...rest,
    run: async (context) => {
      const inputs = await inputsOf(context, operation, prepare)
      const verify = (response: ReceivedResponse, each: InputCase) =>
        expect(isRight(response, each), `${expected} for ${each.label}`, () => withBody(response))
      const cases = select(inputs.cases)
      if (cases.length === 0) throw new Skip('no such request can be made for this resource')
      await sendCases(context, inputs, cases, verify)
      // The fixture that does not exist, with every credential: the statuses of §7 do not depend on the scheme.
      const { absent } = resourceOf(operation) ?? {}
      const missing = cases.find(({ kind, change: { path = {} } }) => {
        return kind === 'absent' && absent !== undefined && Object.values(path).includes(context.fixtures[absent] ?? '')
      })
      if (!missing) return
      for (const credential of sufficientCredentials(context, operation))
        verify(await call(context, operation, { ...changed(inputs.request, missing), credential }), missing)
    },
  })
}

function isShown(response: ReceivedResponse, { path = {} }: Request): boolean {
  const id = response.text === '' ? undefined : toRecord(jsonOf(response))['Id']
  return Object.values(path).includes(String(id))
}

/**
 * A body that breaks a constraint is refused, and one at the boundary of the constraint is accepted (§4, §8).
 *
 * @param sees whether the check observes the effects instead of the statuses: a refused body has none, and a valid one
 *   after it has one
 */
function invalidBody(operation: Operation, slug: string, sees: boolean): Drafted {
  return draft(operation, {
    slug,
    text: `A request that breaks ${slug} changes nothing.`,
    ...(sees ? { aspect: 'effect', basis: 'supplement' } : preparedThrough(operation)),
    run: sees
      ? confirmed((context) => expectNoEffect(context, operation, slug))
      : (context) => expectRefusals(context, operation, slug),
  })
}

/** Broken bodies are refused, and valid ones after them succeed. */
async function expectRefusals(context: CheckContext, operation: Operation, slug: string): Promise<void> {
  const { inputs, cases } = await bodiesOf(context, operation, slug, 'broken')
  const failed: ReceivedResponse[] = []
  await sendCases(context, inputs, cases, (response, each) => {
    if (isServerError(response)) failed.push(response)
    expect(!isSuccess(response), `no success for ${each.label}`, describeResponse(response))
  })
  if (failed[0]) throw new Skip(`inconclusive: ${describeResponse(failed[0])} is not a deliberate refusal`)
  // A server that refuses every request does not validate the body.
  const control = await validCall(context, operation)
  if (!isSuccess(control)) throw new Skip(`inconclusive: a valid body is refused, too (${describeResponse(control)})`)
  const write = writeOf(operation)
  const verify = (response: ReceivedResponse, each: InputCase) =>
    expect(isSuccess(response), `a success for ${each.label}`, () => withBody(response))
  for await (const met of validBodies(context, operation, slug)) {
    if (write.action.kind === 'add') await sendCases(context, met.inputs, met.cases, verify)
    else for (const each of met.cases) await attemptCase(context, write, met.inputs, each, 'accepted', 'response')
  }
}

/** The broken or valid bodies for the end of a requirement's id. */
async function bodiesOf(context: CheckContext, operation: Operation, slug: string, kind: 'broken' | 'met') {
  const inputs = await inputsOf(context, operation)
  return { inputs, cases: inputs.cases.filter((each) => each.slug === slug && each.kind === kind) }
}

/** The valid bodies, each with a value of its own, because the server may refuse one that is already there. */
async function* validBodies(context: CheckContext, operation: Operation, slug: string) {
  const { cases } = await bodiesOf(context, operation, slug, 'met')
  for (const index of cases.keys()) {
    const fresh = await bodiesOf(context, operation, slug, 'met')
    yield { ...fresh, cases: fresh.cases.slice(index, index + 1) }
  }
}

/** Broken bodies change nothing, and valid ones before and after them have their effect. */
async function expectNoEffect(context: CheckContext, operation: Operation, slug: string): Promise<void> {
  const write = writeOf(operation)
  // A list that is not empty can take a broken value in another way than an empty one.
  const first = await bodiesOf(context, operation, slug, 'met')
  for (const each of first.cases.slice(0, 1)) await attemptCase(context, write, first.inputs, each, 'accepted')
  await addValue(context, write)
  const { inputs, cases } = await bodiesOf(context, operation, slug, 'broken')
  for (const each of cases) await attemptCase(context, write, inputs, each, 'refused', 'effect', 'rest', 'other-items')
  for await (const last of validBodies(context, operation, slug))
    for (const each of last.cases) await attemptCase(context, write, last.inputs, each, 'accepted')
}

/** Sends a case, and fails if the state differs from the model in one of these ways. */
async function attemptCase(
  context: CheckContext,
  operation: StatedOperation,
  { request }: Inputs,
  each: InputCase,
  rule: 'accepted' | 'refused',
  ...kinds: readonly StateDifference['what'][]
): Promise<void> {
  const items = await itemsFor(context, operation)
  const { path } = await validChange(context, operation, items)
  const sent = { ...changed(request, each), path }
  const known = rule === 'refused' ? await currentState(context, items) : undefined
  context.count()
  const witnessed = await attempt(context, { operation, items, request: sent, rule }, known)
  await naming(operation, each, async () => failOn(witnessed, ...kinds))
}

/**
 * No request makes the server fail, and a refused request changes nothing. The spec states neither in general, so the
 * source is `robustness`. If the contract states the status of a case, the check of this status reports a server error.
 */
function robust(operation: Operation): Drafted {
  const hasStatus = (each: InputCase) => isStated(operation, each, '400') || isStated(operation, each, '404')
  const isSent = (each: InputCase) => each.kind !== 'met' && (operation.effect !== 'read' || !hasStatus(each))
  return draft(operation, {
    slug: 'robustness',
    source: 'robustness',
    text: 'No request makes the server fail, and a refused request changes nothing.',
    run: async (context) => {
      const inputs = await inputsOf(context, operation, 'prepare')
      const write = isUndoable(operation) ? operation : undefined
      const items = write && itemsOfFixtures(write.resource, context.fixtures)
      let before = items && (await currentState(context, items))
      const statuses: Record<string, number> = {}
      const crashes: InputCase[] = []
      await sendCases(context, inputs, inputs.cases.filter(isSent), async (response, each) => {
        statuses[each.label] = response.status
        if (isServerError(response) && !hasStatus(each)) crashes.push(each)
        const known = before
        if (!write || !items || !known) return
        if (!isSuccess(response)) {
          const after = await observeUntil(context, items, (state) => same(state, known))
          expect(same(after, known), `no effect of ${each.label}`, `${itemLines(known)}, then ${itemLines(after)}`)
          return
        }
        // A lenient server did what a valid request does. A later read may still show the state before.
        const request = { path: {}, ...inputs.request }
        before = operation.requestBody ? undefined : await makeVisible(context, { operation: write, request }, items)
      })
      context.observe(`${operation.interface}.${operation.name}.input`, statuses)
      if (crashes[0]) await failOnCrash(context, inputs, crashes[0], crashes.length)
    },
  })
}

/** Maximum number of single characters that are tried to shrink a text. */
const maxCharacters = 30

/** Shrinks the text of a crash, sends the case once more, so that it is in the evidence of the check, and fails. */
async function failOnCrash(context: CheckContext, inputs: Inputs, crash: InputCase, count: number): Promise<never> {
  let [smallest, status] = [crash, '']
  const crashes = async (text: string | undefined) => {
    let isCrash = false
    const each = withText(crash, text)
    await sendCases(context, inputs, [each], (response) => {
      isCrash = isServerError(response)
      if (isCrash) [smallest, status] = [each, describeResponse(response)]
    })
    return isCrash
  }
  const { text = '' } = crash
  for (const character of new Set([...text].slice(0, maxCharacters))) if (await crashes(character)) break
  // Without such a character, the length may be the cause: the shortest beginning that crashes, by bisection.
  let [passes, fails] = [1, smallest === crash ? text.length : 1]
  while (fails - passes > 1) {
    const middle = (passes + fails) >>> 1
    if (await crashes(text.slice(0, middle))) fails = middle
    else passes = middle
  }
  await crashes(smallest.text)
  const what = `${smallest.label}${smallest.text === undefined ? '' : ` (${snippet(smallest.text)})`}`
  return naming(inputs.operation, smallest, () => {
    throw new Failure(
      'no server error',
      `${status} for ${what}, each time between valid requests (${count} such cases)`,
    )
  })
}

const errorFields = ['ErrorKey', 'Field', 'Message'] as const

type ErrorRule = (body: Readonly<Record<string, unknown>>) => boolean | undefined

/**
 * What holds for an error body (§2), by the end of the id of its requirement; undefined if the body does not show it. Each
 * field is optional (supplement), but an object without any of them is not an error body of the platform. An error of
 * `add` has all three (§7).
 */
const errorRules: Readonly<Record<string, readonly [text: string, ErrorRule]>> = {
  'errors.object': ['An error body is a JSON object.', (body) => errorFields.some((name) => name in body)],
  ...Object.fromEntries(
    errorFields.map((name): [string, [string, ErrorRule]] => [
      `errors.${toSlug(name)}`,
      [`${name} of an error body is a string.`, (body) => (name in body ? typeof body[name] === 'string' : undefined)],
    ]),
  ),
  'error-body': [
    'The error body carries ErrorKey, Field and Message.',
    (body) => errorFields.every((name) => typeof body[name] === 'string'),
  ],
}

function errorBodies(operation: Operation): Drafted[] {
  const listed = Object.entries(errorRules).filter(([slug]) => slug !== 'error-body' || isListed(operation, slug))
  return listed.map(([slug, [text, rule]]) =>
    draft(operation, {
      slug,
      // Errors of the supplement's operations prove nothing about the spec's operations.
      ...(slug !== 'error-body' && { topic: slug, part: 'the operations of the spec' }),
      text,
      run: async (context) => {
        let isSeen = false
        for (const response of await refusals(context, operation)) {
          if (response.text === '' && slug !== 'error-body') continue
          const body = jsonOf(response)
          expect(isRecord(body), 'a JSON object as error body', () => withBody(response))
          const isRight = rule(body)
          expect(isRight !== false, text, () => withBody(response))
          isSeen ||= isRight === true
        }
        if (!isSeen)
          throw new Skip('no error to check has a body that shows it (supplement: errors often come without one)')
      },
    }),
  )
}

/** Returns the errors of an operation: without credentials, for an absent id, for each broken body. */
function refusals(context: CheckContext, operation: Operation): Promise<readonly ReceivedResponse[]> {
  return context.once(`refusals of ${operation.name}`, async () => {
    const inputs = await inputsOf(context, operation)
    const responses = [await call(context, operation, { ...inputs.request, credential: undefined })]
    const absent = inputs.cases.filter(({ kind }) => kind === 'absent').slice(0, 1)
    const bodies = inputs.cases.filter(({ kind, place }) => kind === 'broken' && place === 'body')
    await sendCases(context, inputs, [...absent, ...bodies], (response) => void responses.push(response))
    return responses.filter((response) => !isSuccess(response))
  })
}
