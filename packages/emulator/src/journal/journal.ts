import type { InterfaceName, Operation } from '@cdn/api/contract'
import type { Answer, Call } from '../http/call.ts'
import { createJudge } from './judge-caller.ts'
import { redact } from './redact.ts'
import { createRing } from './ring.ts'
import { type VerdictName, verdictTable } from './verdict-table.ts'

/** A request that the emulator received. */
export interface JournalEntry {
  /** By the emulator's clock. */
  readonly at: Date
  readonly interface: InterfaceName
  /** `x-name`; absent where the contract has no such operation. */
  readonly operation?: string
  readonly method: string
  /** Path and query, credentials redacted. */
  readonly path: string
  /** 0 where no answer reached the caller. */
  readonly status: number
  /** Names of the faults that hit it; absent where none did. */
  readonly faults?: readonly string[]
  /** The request followed a redirect to an origin that is none of the platform's. */
  readonly elsewhere?: true
}

/** What a caller did wrong. */
export interface JournalVerdict {
  readonly name: VerdictName
  /** The same in one sentence. */
  readonly text: string
  /** The request by which it was done. */
  readonly entry: JournalEntry
}

/** The newest requests, oldest first, and what was wrong with them. */
export interface Journal {
  readonly entries: readonly JournalEntry[]
  readonly verdicts: readonly JournalVerdict[]
  /** How many entries have gone to make room for newer ones. */
  readonly dropped: number
  clear(): void
}

/** What the emulator knows of a request when it has answered. */
export interface Received {
  readonly at: Date
  readonly call: Call
  /** Absent where the contract has none. */
  readonly operation?: Operation | undefined
  /** Absent where the connection ended within the request. */
  readonly answer?: Answer | undefined
  readonly faults: readonly { readonly name: string }[]
  readonly overLimit: boolean
  readonly body?: Uint8Array | undefined
}

/** A journal that can be written. */
export interface Recorder extends Journal {
  receive(received: Received): void
  /** A request that arrived at the other origin of the redirect fault. */
  receiveElsewhere(at: Date, call: Call): void
}

/** How many requests are kept unless told otherwise; as many verdicts. */
export const defaultJournalLimit = 10_000

/**
 * An empty journal.
 *
 * @param limit how many entries, and how many verdicts, are kept: an integer from 1
 * @param credentialHeaders names of the headers that carry credentials
 * @param secrets gives the texts that must never be shown
 * @throws RangeError where the limit is none
 */
export function createJournal(
  limit: number,
  credentialHeaders: readonly string[],
  secrets: () => Iterable<string>,
): Recorder {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`The journal's limit must be an integer from 1, not ${limit}`)
  const entries = createRing<JournalEntry>(limit)
  const verdicts = createRing<JournalVerdict>(limit)
  let judge = createJudge()

  const enter = (
    call: Call,
    names: VerdictName[],
    facts: Pick<JournalEntry, 'at' | 'status'> & Partial<JournalEntry>,
  ) => {
    const { text: path, hadCredential } = redact(call.path, call.query, [...secrets(), ...sentBy(call)])
    const entry: JournalEntry = { interface: call.interface, method: call.method, path, ...facts }
    entries.push(entry)
    for (const name of hadCredential ? [...names, 'credential-in-url' as const] : names)
      verdicts.push({ name, text: verdictTable[name], entry })
  }
  /** A wrong key is a secret too: it may be right elsewhere. */
  const sentBy = (call: Call) =>
    credentialHeaders
      .map((header) => call.headers.get(header)?.replace(/^bearer +/i, '') ?? '')
      .filter((value) => value.length >= 8)

  return {
    get entries() {
      return entries.items()
    },
    get verdicts() {
      return verdicts.items()
    },
    get dropped() {
      return entries.dropped()
    },
    clear() {
      entries.clear()
      verdicts.clear()
      judge = createJudge()
    },
    receive({ at, call, operation, answer, faults, overLimit, body }) {
      const names = operation && answer ? judge({ call, operation, answer, overLimit, body }) : []
      enter(call, names, {
        at,
        status: answer && !answer.wire?.lost ? answer.status : 0,
        ...(operation && { operation: operation.name }),
        ...(faults.length > 0 && { faults: faults.map(({ name }) => name) }),
      })
    },
    receiveElsewhere(at, call) {
      const carries = credentialHeaders.some((header) => call.headers.get(header) !== null)
      enter(call, carries ? ['credential-on-redirect'] : [], { at, status: 404, elsewhere: true })
    },
  }
}
