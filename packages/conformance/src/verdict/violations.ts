/** Describes what a check saw in a form that is equal for equal mistakes, and decides which violation explains another. */
import { operations } from '@cdn/api/contract'
import type { CheckResult, Exchange } from '../exchange/report-model.ts'
import { parseOrUndefined } from '../exchange/response.ts'
import { cellLine } from '../exchange/text.ts'
import { levelOf, levels } from './levels.ts'

/** The result of a check, the operations that the check called, as `interface.name`, and the literal of the id that it decides. */
export interface Judged {
  readonly result: CheckResult
  readonly called: readonly string[]
  readonly decides?: string | undefined
}

/** The observation of a check that failed or ended in an error. */
export interface Violation {
  readonly result: CheckResult
  /** The operation whose response is wrong, as `interface.name`, or `interface.*` if the check names none. */
  readonly operation: string
  /** The operations whose responses the check compares or reads the state from. */
  readonly called: readonly string[]
  readonly seen: string
  /** `seen` for readers, with ids and counts. */
  readonly shown: string
  /** The status of the response that shows the violation, such as `status 404`, if it is known. */
  readonly status: string | undefined
  /** The status with the kind of the body, if the violation is about either of them. */
  readonly shaped: string | undefined
  /** The only parameter of the smallest case, or `none` if the case has none; undefined for several parameters, or without a case. */
  readonly parameter: string | undefined
  /** Whether `seen` is the status of a response, or says that there was no response. */
  readonly isStatus: boolean
  /** Level of the broken sentence (`levels.ts`): a violation of a lower level may explain one of a higher level. */
  readonly level: number
  /** Whether the check is the control of its operation: it sends the plainest valid request and expects the stated success. */
  readonly isControl: boolean
  /** Order among the violations of a cause: the one with the lowest rank shows the cause best. */
  readonly rank: number
}

export function violationOf({ result, called, decides = '' }: Judged): Violation {
  const { expected, seen } = { expected: '', seen: result.message ?? 'no reason given', ...result.evidence }
  const own = ownOperation(result.id)
  const isBody = result.outcome === 'fail' && levelOf(decides) === levels.body
  const { exchange, status, shaped } = responseOf(result, own, seen, isBody)
  const isAboutBody = expected !== '' && !/status|success|refus/.test(expected)
  const ofStatus = isAboutBody ? shaped : shaped && status
  // A breach of a whole layer of the contract has no requirement, and counts as one of the body of an error.
  const level = result.requirements.length > 0 ? levelOf(decides, expected, ofStatus) : levels.errorBody
  return {
    ...{ result, status, shaped, level },
    // A check of a whole interface may compare responses to other checks, so all operations of the interface count as called.
    called: decides.startsWith('<interface>.') ? namesOf(interfaceOf(own)) : called,
    isControl: level >= levels.success && level <= levels.body,
    rank: rankOf(result, level),
    parameter: parameterOf(result),
    operation: exchange?.operation ?? own,
    seen: ofStatus ?? plain(seen),
    shown: ofStatus ?? cellLine(seen.replace(/ after \[.*$/s, ''), 160),
    isStatus: shaped !== undefined || (result.outcome === 'error' && /^target unavailable/.test(seen)),
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

/** Finds the exchange that shows what a check saw, its status, and the kind of its body if the check is about status or body. */
function responseOf({ evidence }: CheckResult, own: string, seen: string, isBody: boolean) {
  const { exchanges = [] } = evidence ?? {}
  const stated = /\b(?:status|was answered) (\d{3})\b/.exec(seen)?.[1]
  // A check that judges responses to another check may have one exchange of its own, which only prepares it.
  const isOnly = isBody || (exchanges.length === 1 && exchanges[0]?.operation === own)
  const isAbsent = /no response|unavailable/.test(seen)
  const matching = exchanges.filter((one) => isOnly || ((stated ?? isAbsent) && isShown(one, stated, seen)))
  const exchange = matching.findLast(({ operation }) => operation === own) ?? matching.at(-1)
  const code = stated ?? (isOnly ? exchange?.response?.status : undefined)
  const status = code === undefined ? undefined : `status ${code}`
  const isAbout = status !== undefined && (stated !== undefined || isBody)
  return { exchange, status, shaped: isAbout ? status + shapeOf(`${code}`, exchange, seen) : undefined }
}

/** The field of a requirement about its listed values, such as `logging.cache-status.values`, or the parameter of the smallest case. */
function parameterOf({ id, evidence }: CheckResult): string | undefined {
  const [, field] = /^[a-z]+\.([a-z-]+)\.values(?:\/|$)/.exec(id) ?? []
  if (field !== undefined) return field.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const [call, ...others] = evidence?.calls ?? []
  if (!call || others.length > 0) return undefined
  if (call.input !== undefined) return /^\w+ (\S+)/.exec(call.input)?.[1]
  const [name = 'none', ...more] = Object.keys(call.query ?? {})
  return more.length > 0 || !call.query ? undefined : name
}

/** Whether an exchange has the status and the start of the body that a check saw; without a status, whether it has no response. */
function isShown({ response }: Exchange, status: string | undefined, seen: string): boolean {
  if (String(response?.status) !== (status ?? 'undefined')) return false
  if (/ with an empty body/.test(seen)) return response?.body === ''
  const [, start] = / with ("[^"].{0,40})/s.exec(seen) ?? []
  return start === undefined || JSON.stringify(response?.body).startsWith(start)
}

/** Returns the kind of body of a 2xx or 4xx. The body of another status does not matter, so the result is empty. */
function shapeOf(status = '', exchange: Exchange | undefined, seen: string): string {
  if (!/^[24]/.test(status)) return ''
  const body = / with an empty body/.test(seen) ? '' : (exchange?.response?.body ?? '{}')
  if (body.trim() === '') return ' with an empty body'
  // A long body is cut in the evidence.
  const isJson = /… \(\d+ characters\)$/.test(body) ? /^\s*[{[]/.test(body) : parseOrUndefined(body) !== undefined
  return isJson ? ' with another body' : ' with a body that is not JSON'
}

/** Removes what differs between equal faults: the calls of a case, long quotations, ids, times and counts. */
function plain(seen: string): string {
  // A difference in the state of items keeps only the path of the list and the first field.
  const [state] = /^(later )?\/\w+ \w+/.exec(seen) ?? []
  if (state !== undefined) return state
  const text = seen
    .replace(/ after \[.*$/s, '')
    .replace(/^after [\w-]+, (?=not as before)/, '')
    .replace(/"(?:[^"\\]|\\.){25,}"/g, '"…"')
    .replace(/\b[\da-f]{8,}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?|\d+/gi, 'N')
  return cellLine(text, 160)
}

/**
 * Whether the violation `one` explains the violation `other`. The level of `one` must be lower, and both must be about the same operation,
 * unless `other` compares several operations. Then:
 *
 * - The same status explains a status. For a wrong credential, only a 4xx does: the platform checks credentials before anything else
 *   (§5), so any other status breaks their sentence, too.
 * - A plain request that never succeeds, or whose body cannot be read, explains a wrong content. A wrong status explains the body of an
 *   error.
 * - A wrong content of the plain request explains any other wrong content and any comparison. One of a request with a parameter explains
 *   violations that name this parameter.
 * - A request that the server accepts instead of refusing it explains the state afterwards.
 *
 * At any level, a read with a wrong content explains a state that is read with it, and a failed change explains the state after changes that
 * the other check sends together with it.
 */
export function masks(one: Violation, other: Violation): boolean {
  if (one.result.requirements.some((id) => other.result.requirements.includes(id))) return false
  if (isReadBy(one, other) || isPreparedBy(one, other)) return true
  const isAbout =
    one.operation === other.operation || (other.level >= levels.derived && other.called.includes(one.operation))
  if (one.level >= other.level || !isAbout) return false
  if (one.result.outcome === 'error') return explainsAsError(one, other)
  if (!one.isStatus) return explainsAsContent(one, other)
  return other.isStatus ? explainsStatus(one, other) : explainsContent(one, other)
}

function isReadBy(one: Violation, other: Violation): boolean {
  const isContent = !one.isStatus && !other.isStatus && one.result.outcome === 'fail'
  const isOther = one.operation !== other.operation && other.called.includes(one.operation)
  return isContent && isOther && effectOf(one) === 'read' && effectOf(other) !== 'read'
}

/**
 * Whether `one` is about the state after a change that the check of `other` sends as well. If both have the same level, the check with fewer
 * operations explains the other.
 */
function isPreparedBy(one: Violation, other: Violation): boolean {
  const isOther = one.operation !== other.operation && other.called.includes(one.operation)
  if (!isOther || !isState(one) || !isState(other)) return false
  return one.level < other.level || (one.level === other.level && one.called.length < other.called.length)
}

const isState = ({ seen }: Violation) => /^(later )?\/\w+ \w+/.test(seen)

/**
 * Whether an operation without a usable response explains the failure of another check: that check got no response either, or it saw a state
 * that a lost write may have changed.
 */
function explainsAsError({ isControl }: Violation, other: Violation): boolean {
  return other.result.outcome === 'fail' && ((isControl && !hasResponse(other)) || isState(other))
}

function explainsStatus(one: Violation, other: Violation): boolean {
  const isSame = [other.seen, other.shaped].includes(one.seen) || other.seen.startsWith(`${one.seen} `)
  return isSame && (other.level !== levels.refusal || /^status 4/.test(one.seen))
}

/** Whether a wrong status explains a violation about a content. */
function explainsContent({ isControl, seen, level: own }: Violation, other: Violation): boolean {
  const { level, status } = other
  const isUnusable = /^status (?!2)| an empty body$| not JSON$/.test(seen)
  if (isControl && (isUnusable || level === levels.parallel || level >= levels.derived)) return true
  const isAccepted = own >= levels.refusal && /^status 2/.test(seen)
  if (isAccepted && (isState(other) || (own > levels.refusal && level === levels.last))) return true
  return level >= levels.error && level <= levels.errorBody && status === seen
}

function explainsAsContent(one: Violation, other: Violation): boolean {
  if (one.level <= levels.plain && other.level >= levels.derived) return true
  const isPlain = one.level <= levels.plain && ['none', 'from', 'to'].includes(one.parameter ?? 'none')
  const isOfState = isState(one) && isState(other)
  const isNamed = isPlain || isOfState || other.level === levels.last || names(other.result, one.parameter)
  return one.operation === other.operation && !other.isStatus && isNamed
}

const namesOf = (of: string | undefined) =>
  operations.flatMap((one) => (one.interface === of ? [`${one.interface}.${one.name}`] : []))
const interfaceOf = (operation: string) => operation.split('.')[0]
const effectOf = ({ operation }: Violation) =>
  operations.find((one) => `${one.interface}.${one.name}` === operation)?.effect

function names({ evidence }: CheckResult, parameter: string | undefined): boolean {
  const text = JSON.stringify([evidence?.calls, evidence?.expected, evidence?.seen])
  return parameter === undefined || parameter === 'none' || text.includes(parameter)
}

/** Whether the platform answered the operation, and not only a gateway in front of it. */
function hasResponse({ result: { evidence }, operation }: Violation): boolean {
  return (evidence?.exchanges ?? []).some(
    (one) => one.operation === operation && one.response && ![502, 503, 504].includes(one.response.status),
  )
}
