import type { InterfaceName } from '@cdn/api/contract'
import { createRedactor, isSecretField } from '@cdn/api/secrets'
import { decodePercent } from '@cdn/kit/percent'
import { credentialHeaders } from '../contract/operations.ts'
import type { EmulatorRequest } from '../exchange/messages.ts'
import { createViolationFinder, type RequestOutcome, type ViolationName, violationTable } from './violations.ts'

export interface JournalEntry {
  /** Time by the emulator's clock. */
  readonly at: Date
  readonly interface: InterfaceName
  /** `x-name`; absent if the request matches no operation of the contract. */
  readonly operation?: string
  readonly method: string
  /** Path and query, with redacted credentials. */
  readonly path: string
  /** Status; 0 if no response reached the caller. */
  readonly status: number
  /** Names of the faults that affected the request; absent without faults. */
  readonly faults?: readonly string[]
  /** Whether the request followed a redirect to an origin outside the platform. */
  readonly redirected?: true
}

/** A mistake of the caller. */
export interface JournalViolation {
  readonly name: ViolationName
  /** Short description of the mistake, from `violationTable`. */
  readonly text: string
  readonly entry: JournalEntry
}

/** The newest requests, oldest first, and the mistakes of their callers. */
export interface Journal {
  readonly entries: readonly JournalEntry[]
  readonly violations: readonly JournalViolation[]
  /** Number of entries that were dropped for newer ones. */
  readonly dropped: number
  clear(): void
}

/** The writable side of a journal. */
export type Recorder = ReturnType<typeof createJournal>

/** Default maximum number of entries, and of violations. */
export const defaultJournalLimit = 10_000

/**
 * Creates an empty journal.
 *
 * @param limit maximum number of entries, and of violations: an integer from 1
 * @param secrets returns texts that must never be shown
 * @throws RangeError if the limit is invalid
 */
export function createJournal(limit: number, secrets: () => Iterable<string>) {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`The journal's limit must be an integer from 1, not ${limit}`)
  const entries: JournalEntry[] = []
  const violations: JournalViolation[] = []
  let received = 0
  let findViolations = createViolationFinder()
  let redactor = createRedactor()
  let hidden = ''

  /** Path and query of a request, as sent. If they contain a credential, they are decoded and redacted. */
  const addressOf = (call: EmulatorRequest) => {
    const known = [...new Set([...secrets(), ...credentialsOf(call)])]
    if (hidden !== known.join('\n')) {
      hidden = known.join('\n')
      redactor = createRedactor({ secrets: known })
    }
    const sent = call.query === '' ? call.path : `${call.path}?${call.query}`
    const decoded = sent.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => decodePercent(bytes) ?? bytes)
    const shown = redactor.text(decoded)
    // A text such as `?token=x` in the value of a parameter is hidden, but not a mistake: callers may search for it in the logs.
    const hadCredential =
      (shown !== decoded && redactor.credentials(decoded) !== decoded) ||
      [...new URLSearchParams(call.query)].some(([name, value]) => value !== '' && isSecretField(name))
    return { path: shown === decoded ? sent : shown, hadCredential }
  }
  const enter = (
    call: EmulatorRequest,
    names: ViolationName[],
    facts: Pick<JournalEntry, 'at' | 'status'> & Partial<JournalEntry>,
  ) => {
    const { path, hadCredential } = addressOf(call)
    const entry: JournalEntry = { interface: call.interface, method: call.method, path, ...facts }
    entries.push(entry)
    for (const name of hadCredential ? [...names, 'credential-in-url' as const] : names)
      violations.push({ name, text: violationTable[name], entry })
    received++
    // Both lists are cut only at twice the limit, so that the average cost of an entry does not grow with the limit.
    for (const list of [entries, violations]) if (list.length >= 2 * limit) list.splice(0, list.length - limit)
  }
  /**
   * Returns the credentials of a request, even invalid ones: a key that is invalid here may be valid for another platform.
   */
  const credentialsOf = (call: EmulatorRequest) =>
    credentialHeaders.map((header) => call.headers.get(header)?.replace(/^bearer +/i, '') ?? '')

  return {
    get entries(): readonly JournalEntry[] {
      return entries.slice(-limit)
    },
    get violations(): readonly JournalViolation[] {
      return violations.slice(-limit)
    },
    get dropped() {
      return Math.max(0, received - limit)
    },
    clear() {
      entries.length = 0
      violations.length = 0
      received = 0
      findViolations = createViolationFinder()
    },
    receive(outcome: RequestOutcome) {
      const { at, call, operation, response, faults } = outcome
      enter(call, findViolations(outcome), {
        at,
        status: response && !response.transport?.lost ? response.status : 0,
        ...(operation && { operation: operation.name }),
        ...(faults.length > 0 && { faults: faults.map(({ name }) => name) }),
      })
    },
    /** Records a request to the target of the redirect fault. */
    receiveRedirected(at: Date, call: EmulatorRequest) {
      const carries = credentialHeaders.some((header) => call.headers.get(header) !== null)
      enter(call, carries ? ['credential-on-redirect'] : [], { at, status: 404, redirected: true })
    },
  }
}
