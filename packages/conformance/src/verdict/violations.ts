/** Violations: what a check saw, in a form that is equal for equal faults, and which of them explains another. */
import { operations } from '@cdn/api/contract'
import type { CheckResult, Exchange } from '../report/model.ts'
import { cellLine } from '../report/text.ts'

/** What a check that did not pass saw. */
export interface Violation {
  readonly result: CheckResult
  /** The operation whose response is wrong, as `interface.name`, or `interface.*` if the check names none. */
  readonly operation: string
  readonly seen: string
  /** The same for readers, with ids and counts. */
  readonly shown: string
  /** The status with the kind of the body, if a response shows the violation. */
  readonly shaped: string | undefined
  /** The parameter that the smallest case changes, or `none` of a plain query; undefined if there are several, or no case. */
  readonly parameter: string | undefined
  /** Whether `seen` is the status of a response, or that there was none. */
  readonly isStatus: boolean
  /** Whether the check is the control of its operation: it sends the plainest valid request and expects the stated success. */
  readonly isControl: boolean
  /** Place among the violations of a cause: the lowest one shows it best. */
  readonly rank: number
}

/** Describes what a failed check, or one that ended in an error, saw. */
export function violationOf(result: CheckResult): Violation {
  const { id, outcome, message = 'no reason given', evidence } = result
  const { expected = '', seen = message, exchanges = [] } = evidence ?? {}
  const status = /\b(?:status|was answered) (\d{3})\b/.exec(seen)?.[1]
  const isControl = /^[^/]+\.(2xx|2\d\d|body)$/.test(id)
  const isBody = outcome === 'fail' && isControl && id.endsWith('.body')
  const known = operations.find(({ name }) => id.split(/[./]/).includes(name))
  const own = known ? `${known.interface}.${known.name}` : `${id.replace('exchange.', '').split('.')[0]}.*`
  const matching = exchanges.filter((one) => isBody || isShown(one, status, seen))
  const exchange = matching.findLast(({ operation }) => operation === own) ?? matching.at(-1)
  const code = status ?? (isBody ? String(exchange?.response?.status) : undefined)
  const plainStatus = code === undefined ? undefined : `status ${code}`
  const shaped = plainStatus && plainStatus + shapeOf(code, exchange, seen)
  const isAboutBody = expected !== '' && !/status|success|refus/.test(expected)
  const ofStatus = isAboutBody ? shaped : plainStatus
  const rank = (outcome === 'error' ? 4 : 0) + (isControl ? 0 : id.startsWith('exchange.') ? 2 : 1)
  return {
    ...{ result, isControl, rank, shaped },
    parameter: parameterOf(evidence?.calls),
    operation: exchange?.operation ?? own,
    seen: ofStatus ?? plain(seen),
    shown: ofStatus ?? cellLine(seen.replace(/ after \[.*$/s, ''), 160),
    isStatus: plainStatus !== undefined || (outcome === 'error' && /^target unavailable/.test(seen)),
  }
}

function parameterOf(calls: NonNullable<CheckResult['evidence']>['calls'] = []): string | undefined {
  const [call, ...others] = calls
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
  const [, quoted] = /^status \d+ with (an empty body|".*)/s.exec(seen) ?? []
  const body = quoted?.replace(/^"|^an empty body/, '') ?? exchange?.response?.body ?? '{'
  if (body.trim() === '') return ' with an empty body'
  return /^\s*[{[]/.test(body) ? ' with another body' : ' with a body that is not JSON'
}

/** Removes what differs between equal faults: the calls of a case, long quotations, ids, times and counts. */
function plain(seen: string): string {
  const text = seen
    .replace(/ after \[.*$/s, '')
    .replace(/^after [\w-]+, (?=not as before)/, '')
    .replace(/"(?:[^"\\]|\\.){25,}"/g, '"…"')
    .replace(/\b[\da-f]{8,}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?|\d+/gi, 'N')
  return cellLine(text, 160)
}

/**
 * Whether one violation explains another, so that the other one shows nothing of its own:
 *
 * - A control explains every check that saw the same response. The refusal of a wrong credential is an exception: the platform checks
 *   credentials before anything else (§5), so its sentence is broken, too.
 * - A valid credential that is refused explains every other check that saw the same refusal; a scheme comes before its scopes.
 * - A write without its effect explains every other check that saw another state.
 * - A value that is not listed explains filters that name its field, and comparisons of both versions.
 * - A sentence about the body of an error needs the status to be observed.
 */
export function masks(control: Violation, other: Violation): boolean {
  if (control === other || control.result.requirements.some((id) => other.result.requirements.includes(id)))
    return false
  const field = fieldOf(control.result)
  if (field !== undefined)
    return fieldOf(other.result) === undefined && (names(other.result, field) || /\.agreement\./.test(other.result.id))
  if (control.operation !== other.operation) return false
  if (control.isControl && control.result.outcome === 'error')
    return other.result.outcome === 'fail' && !hasResponse(other)
  if (isState(control) && isState(other)) return /^[^/]+\.effect$/.test(control.result.id)
  if (!control.isStatus || (control.seen !== other.seen && control.seen !== other.shaped)) return false
  if (isConditional(other.result)) return !isConditional(control.result)
  if (isRefusal(other.result)) return false
  if (/^status 40[13]/.test(control.seen)) return tierOf(control) < tierOf(other)
  return control.isControl && !other.isControl
}

/** Order of the checks of a valid credential that was refused: scheme, scope, others. */
function tierOf({ result: { id } }: Violation): number {
  if (/\.(access-key|bearer)$|\.authentication\.default\/[^/]+$/.test(id)) return 0
  return /\.scope-/.test(id) ? 1 : 2
}

/** Whether the check sends a wrong credential, or none, and expects its refusal. */
function isRefusal({ id, evidence }: CheckResult): boolean {
  return /\.authentication\.|\.401(\/|$)|\.scope-missing/.test(id) && /^status 4/.test(evidence?.expected ?? '')
}

/** Whether a check about the body of an error did not get the error. */
function isConditional({ id, evidence }: CheckResult): boolean {
  return /\.errors?[.-]/.test(id) && /^status/.test(evidence?.expected ?? '')
}

function isState({ seen }: Violation): boolean {
  return /^(later )?\/\w/.test(seen)
}

/** The field of a requirement about the listed values of a field, such as `logging.cache-status.values`. */
function fieldOf({ id, outcome }: CheckResult): string | undefined {
  const [, words] = outcome === 'fail' ? (/^[a-z]+\.([a-z-]+)\.values(?:\/|$)/.exec(id) ?? []) : []
  return words?.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function names({ evidence }: CheckResult, field: string): boolean {
  return JSON.stringify([evidence?.calls, evidence?.expected, evidence?.seen]).includes(field)
}

/** Whether the operation answered, and not only a gateway before it. */
function hasResponse({ result: { evidence }, operation }: Violation): boolean {
  return (evidence?.exchanges ?? []).some(
    (one) => one.operation === operation && one.response && ![502, 503, 504].includes(one.response.status),
  )
}
