/** Describes what a check saw in a form that is equal for equal mistakes, and decides which violation explains another. */
import { operations } from '@cdn/api/contract'
import { mistakeKey, type Seen } from '../exchange/failure.ts'
import type { CheckResult, Evidence, ReportedExchange } from '../exchange/report-model.ts'
import { isOfGateway } from '../exchange/response.ts'
import { levelOf, levels } from './precedence.ts'

/** The result of a check, the operations that the check called, as `interface.name`, and the literal of the id that it decides. */
export interface JudgedCheck {
  readonly result: CheckResult
  readonly called: readonly string[]
  readonly decides?: string | undefined
}

/** The observation of a check that failed or ended in an error. */
export interface CheckViolation {
  readonly result: CheckResult
  /** The operation whose response is wrong, as `interface.name`, or `interface.*` if the check names none. */
  readonly operation: string
  /** The operations whose responses the check compares or reads the state from. */
  readonly called: readonly string[]
  readonly seen: Seen
  /** Equal for equal observations. The kind of a body counts only if the violation is about the body. */
  readonly key: string
  /** The status of the response that shows the violation, if it is known. */
  readonly status: number | undefined
  /** Status and body of that response, if the violation is about either of them. */
  readonly answer: Answer | undefined
  /** Whether the violation is about the body of that response. */
  readonly isAboutBody: boolean
  /** The parameters and fields that the wrong request sends; undefined if that is not known. */
  readonly parameters: readonly string[] | undefined
  /** Whether the observation is a status, or that there was no response. */
  readonly isStatus: boolean
  /** Level of the broken sentence (`precedence.ts`): a violation of a lower level may explain one of a higher level. */
  readonly level: number
  /** Whether the check is the control of its operation: it sends the plainest valid request and expects the stated success. */
  readonly isControl: boolean
  /** The sentence and what it is about, without the operation: the same mistake of several operations has equal forms. */
  readonly form: string
  /** Order among the violations of a cause: the one with the lowest rank shows the cause best. */
  readonly rank: number
}

/** Status and body of a response. Only the body of a 2xx or a 4xx matters. */
interface Answer {
  readonly status: number
  readonly body?: 'none' | 'json' | 'other'
}

export function violationOf({ result, called, decides = '' }: JudgedCheck): CheckViolation {
  const evidence: Evidence = result.evidence ?? { exchanges: [] }
  const seen: Seen = evidence.seen ?? { kind: 'fault', text: result.message ?? 'no reason given' }
  const own = ownOperation(result.id)
  // A breach of a whole layer of the contract has no requirement. Its level is that of an error body.
  const level = result.requirements.length > 0 ? levelOf(decides, evidence) : levels.errorBody
  const exchange = exchangeOf(evidence, seen, own)
  const status = seen.kind === 'status' ? seen.status : exchange?.response?.status
  const answer = answerOf(seen, level, status)
  const isAboutBody = answer?.body !== undefined && evidence.expected?.kind === 'value'
  const key = answer ? [answer.status, ...(isAboutBody ? [answer.body] : [])].join(' ') : mistakeKey(seen)
  return {
    ...{ result, seen, key, status, answer, isAboutBody, level },
    // A check of a whole interface may compare responses to other checks, so all operations of the interface count as called.
    called: decides.startsWith('<interface>.') ? namesOf(interfaceOf(own)) : called,
    isControl: level >= levels.success && level <= levels.body,
    rank: rankOf(result, level),
    parameters: evidence.parameters ?? (seen.kind === 'value' && seen.field !== undefined ? [seen.field] : undefined),
    operation: exchange?.operation ?? own,
    isStatus: answer !== undefined || seen.kind === 'silence',
    form: formOf(result, level, key, answer),
  }
}

/** The operation that an id names, as `interface.name`, or `interface.*`. */
function ownOperation(id: string): string {
  const known = operations.find(({ name }) => id.split(/[./]/).includes(name))
  return known ? `${known.interface}.${known.name}` : `${id.replace('exchange.', '').split('.')[0]}.*`
}

function rankOf({ outcome, id }: CheckResult, level: number): number {
  return (outcome === 'error' ? 2 * levels.last : 0) + level + (id.startsWith('exchange.') ? 0.5 : 0)
}

/** The exchange that shows what a check saw, if possible one of the operation in the check's id. */
function exchangeOf({ exchanges }: Evidence, seen: Seen, own: string): ReportedExchange | undefined {
  const isOwn = ({ operation }: ReportedExchange) => operation === own
  if (seen.kind === 'state') return undefined
  if (seen.kind === 'value') return exchanges.findLast(isOwn)
  const showing = exchanges.filter(
    ({ response }) => response?.status === (seen.kind === 'status' ? seen.status : undefined),
  )
  return showing.findLast(isOwn) ?? showing.at(-1)
}

/** The status and the body that a violation is about. A wrong content of a body that other checks need counts, too. */
function answerOf(seen: Seen, level: number, status: number | undefined): Answer | undefined {
  if (seen.kind === 'status') return { status: seen.status, ...(hasMeaning(seen.status) && { body: seen.body }) }
  const isNeeded = level === levels.body || (level >= levels.error && level <= levels.errorBody)
  return seen.kind === 'value' && isNeeded && status !== undefined ? { status, body: 'json' } : undefined
}

function hasMeaning(status: number): boolean {
  const group = Math.floor(status / 100)
  return group === 2 || group === 4
}

function formOf({ id, outcome }: CheckResult, level: number, key: string, answer: Answer | undefined): string {
  const names = ['exchange', ...operations.flatMap(({ name, interface: of }) => [name, of])]
  const parts = id.split(/[./]/).filter((part) => !names.includes(part))
  if (level === levels.success || level === levels.status) return `${outcome} success ${key}`
  if (level !== levels.refusal) return `${outcome} ${parts.join('.')} ${key}`
  // Several sentences say that a credential is refused. The last part of an id is the kind of credential. Any success accepts it.
  const isAccepted = answer !== undefined && Math.floor(answer.status / 100) === 2
  return `${outcome} refusal ${parts.at(-1)} ${isAccepted ? 'accepted' : key}`
}

/**
 * Whether the violation `one` explains the violation `other`. The level of `one` must be lower, and both must be about the same operation,
 * unless `other` compares several operations. Then:
 *
 * - The same status explains a status. For a wrong credential, only a 4xx does: the platform checks credentials before anything else
 *   (§5), so any other status breaks the sentence about the credential, too.
 * - A plain request that never succeeds, or whose body cannot be read, explains a wrong content. A wrong status explains the body of an
 *   error.
 * - A wrong content of the plain request explains any other wrong content and any comparison. A wrong content of a request with a parameter
 *   explains violations that name this parameter.
 * - A request that the server accepts instead of refusing it explains the state afterwards.
 *
 * At any level, a read with a wrong content explains a state that is read with it.
 */
export function masks(one: CheckViolation, other: CheckViolation): boolean {
  if (one.result.requirements.some((id) => other.result.requirements.includes(id))) return false
  if (isReadBy(one, other)) return true
  const isAbout =
    one.operation === other.operation || (other.level >= levels.derived && other.called.includes(one.operation))
  if (one.level >= other.level || !isAbout) return false
  if (one.result.outcome === 'error') return explainsAsError(one, other)
  if (!one.isStatus) return explainsAsContent(one, other)
  return other.isStatus ? explainsStatus(one, other) : explainsContent(one, other)
}

function isReadBy(one: CheckViolation, other: CheckViolation): boolean {
  const isContent = !one.isStatus && !other.isStatus && one.result.outcome === 'fail'
  const isOther = one.operation !== other.operation && other.called.includes(one.operation)
  return isContent && isOther && effectOf(one) === 'read' && effectOf(other) !== 'read'
}

const isState = ({ seen }: CheckViolation) => seen.kind === 'state'

/**
 * Whether an operation without a usable response explains the failure of another check: that check got no response either, or it saw a
 * state that a lost write may have changed.
 */
function explainsAsError({ isControl }: CheckViolation, other: CheckViolation): boolean {
  return other.result.outcome === 'fail' && ((isControl && !hasResponse(other)) || isState(other))
}

function explainsStatus(one: CheckViolation, other: CheckViolation): boolean {
  const isSame =
    one.answer?.status === other.answer?.status && (!one.isAboutBody || one.answer?.body === other.answer?.body)
  return isSame && (other.level !== levels.refusal || groupOf(one) === 4)
}

/** The group of the status that a violation is about, such as 4 for a 404; undefined without one. */
function groupOf({ answer }: CheckViolation): number | undefined {
  return answer && Math.floor(answer.status / 100)
}

/** Whether a wrong status explains a violation about a content. */
function explainsContent(one: CheckViolation, other: CheckViolation): boolean {
  const { isControl, isAboutBody, answer, level: own } = one
  const { level, status } = other
  const isUnusable = (answer && groupOf(one) !== 2) || (isAboutBody && answer?.body !== 'json')
  if (isControl && (isUnusable || level === levels.parallel || level >= levels.derived)) return true
  const isAccepted = own >= levels.refusal && groupOf(one) === 2
  if (isAccepted && (isState(other) || (own > levels.refusal && level === levels.last))) return true
  return level >= levels.error && level <= levels.errorBody && !isAboutBody && status === answer?.status
}

function explainsAsContent(one: CheckViolation, other: CheckViolation): boolean {
  if (one.level <= levels.plain && other.level >= levels.derived) return true
  const [parameter, ...more] = one.parameters ?? []
  const isPlain =
    one.level <= levels.plain && (parameter === undefined || ['from', 'to'].includes(parameter) || more.length > 0)
  const isOfState = isState(one) && isState(other)
  const isNamed = more.length > 0 || parameter === undefined || other.parameters?.includes(parameter)
  return (
    one.operation === other.operation &&
    !other.isStatus &&
    (isPlain || isOfState || other.level === levels.last || isNamed === true)
  )
}

const namesOf = (of: string | undefined) =>
  operations.flatMap((one) => (one.interface === of ? [`${one.interface}.${one.name}`] : []))
const interfaceOf = (operation: string) => operation.split('.')[0]
const effectOf = ({ operation }: CheckViolation) =>
  operations.find((one) => `${one.interface}.${one.name}` === operation)?.effect

/** Whether the platform answered the operation, and not only a gateway in front of it. */
function hasResponse({ result: { evidence }, operation }: CheckViolation): boolean {
  return (evidence?.exchanges ?? []).some(
    (one) => one.operation === operation && one.response && !isOfGateway(one.response),
  )
}
