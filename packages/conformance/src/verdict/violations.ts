/** Violations: what a check saw, in a form that is equal for equal faults, and which of them explains another. */
import { operations } from '@cdn/api/contract'
import type { CheckResult, Exchange } from '../report/model.ts'
import { cellLine } from '../report/text.ts'
import { parseOrUndefined } from '../run/response.ts'
import { levelOf, levels } from './levels.ts'

/** The result of a check, the operations that the check called, as `interface.name`, and the literal of the id that it decides. */
export interface Judged {
  readonly result: CheckResult
  readonly called: readonly string[]
  readonly decides?: string | undefined
}

/** What a check that did not pass saw. */
export interface Violation {
  readonly result: CheckResult
  /** The operation whose response is wrong, as `interface.name`, or `interface.*` if the check names none. */
  readonly operation: string
  /** The operations whose responses the check compares or reads the state from. */
  readonly called: readonly string[]
  readonly seen: string
  /** The same for readers, with ids and counts. */
  readonly shown: string
  /** The status of the response that shows it, if it is known. */
  readonly status: string | undefined
  /** The status with the kind of the body, if the violation is about either of them. */
  readonly shaped: string | undefined
  /** The parameter that the smallest case changes, or `none` of a plain query; undefined if there are several, or no case. */
  readonly parameter: string | undefined
  /** Whether `seen` is the status of a response, or that there was none. */
  readonly isStatus: boolean
  /** Its place in the order of the sentences: a lower one explains a higher one. */
  readonly level: number
  /** Whether the check is the control of its operation: it sends the plainest valid request and expects the stated success. */
  readonly isControl: boolean
  /** Place among the violations of a cause: the lowest one shows it best. */
  readonly rank: number
}

/** Describes what a failed check, or one that ended in an error, saw. */
export function violationOf({ result, called, decides = '' }: Judged): Violation {
  const { expected, seen } = { expected: '', seen: result.message ?? 'no reason given', ...result.evidence }
  const own = ownOperation(result.id)
  const isBody = result.outcome === 'fail' && levelOf(decides) === levels.body
  const { exchange, status, shaped } = responseOf(result, own, seen, isBody)
  const isAboutBody = expected !== '' && !/status|success|refus/.test(expected)
  const ofStatus = isAboutBody ? shaped : shaped && status
  // What breaks no requirement is about a body as a whole.
  const level = result.requirements.length > 0 ? levelOf(decides, expected, ofStatus) : levels.errorBody
  return {
    ...{ result, status, shaped, level },
    // What other checks requested is not among the calls of a comparison of an interface.
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

/** The exchange that shows what a check saw, with its status, and with the kind of its body if the check is about either of them. */
function responseOf({ evidence }: CheckResult, own: string, seen: string, isBody: boolean) {
  const { exchanges = [] } = evidence ?? {}
  const stated = /\b(?:status|was answered) (\d{3})\b/.exec(seen)?.[1]
  // A check may judge what another one requested: its only exchange may be one that prepares it.
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

/** What kind of body a success or a refusal has. Other responses are wrong whatever their body. */
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
  // Of a difference in the state of items, only the path of the list and the first field stay.
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
 * Whether one violation explains another, so that the other one shows nothing of its own. The sentence of the first one comes before that of
 * the other one, and they are about the same operation, or the other one compares several operations. Then:
 *
 * - The same status explains a status. A wrong credential is an exception, unless it is refused: the platform checks credentials
 *   before anything else (§5), so their sentence is broken, too.
 * - A success that never comes, or whose body cannot be read, explains every other content. A wrong status explains the body of an error.
 * - Another content of the plain request explains every other content and every comparison; a parameter explains what names it.
 * - A request that should be refused and is not explains what its success shows, and the state after it.
 *
 * A read with another content explains every state that is read with it, and a change that fails explains the state after changes that the
 * other check sends with it.
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
 * Whether one violation is about the state after a change that the other check sends as well, to prepare its own or in turns with it. Of two
 * checks of one level, the one with fewer operations shows it.
 */
function isPreparedBy(one: Violation, other: Violation): boolean {
  const isOther = one.operation !== other.operation && other.called.includes(one.operation)
  if (!isOther || !isState(one) || !isState(other)) return false
  return one.level < other.level || (one.level === other.level && one.called.length < other.called.length)
}

const isState = ({ seen }: Violation) => /^(later )?\/\w+ \w+/.test(seen)

/** Whether an operation that gives no usable response explains what other checks show: a write may have been done. */
function explainsAsError({ isControl }: Violation, other: Violation): boolean {
  return other.result.outcome === 'fail' && ((isControl && !hasResponse(other)) || isState(other))
}

function explainsStatus(one: Violation, other: Violation): boolean {
  const isSame = [other.seen, other.shaped].includes(one.seen) || other.seen.startsWith(`${one.seen} `)
  return isSame && (other.level !== levels.refusal || /^status 4/.test(one.seen))
}

/** Whether a status explains a content. */
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

/** Whether the operation answered, and not only a gateway before it. */
function hasResponse({ result: { evidence }, operation }: Violation): boolean {
  return (evidence?.exchanges ?? []).some(
    (one) => one.operation === operation && one.response && ![502, 503, 504].includes(one.response.status),
  )
}
