import { contracts } from '@cdn/api/contract'
import { type Clock, createRealClock, createVirtualClock } from './clock.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createCredentials, type Fixtures, roles } from './fixtures.ts'
import { createDispatch } from './http/dispatch.ts'
import { createLimiter } from './http/rate-limit.ts'
import { createFetch } from './in-process.ts'
import { createIssuer } from './issuer.ts'
import { createJournal, defaultJournalLimit, type Journal } from './journal/journal.ts'
import type { Platform } from './platform.ts'
import { type Listening, listen } from './server/listen.ts'
import { createState } from './state/initial.ts'
import type { State } from './state/state.ts'
import type { TrafficOptions } from './traffic/options.ts'
import { createRandom } from './traffic/random.ts'
import { chooseVariants, type Variants } from './variants.ts'

export type { Listening }

export interface EmulatorOptions {
  /** Seed of the traffic and of every shuffle, an integer; 1 where absent. */
  readonly seed?: number
  /** `virtual` where absent. */
  readonly clock?: 'virtual' | 'real'
  /** Start of a virtual clock; `defaultStart` where absent. */
  readonly start?: Date
  /** Behaviours at points that nobody states; see `variantTable`. */
  readonly variants?: Partial<Variants>
  /** Traffic of any rate for any number of zones; none beside what a fresh emulator holds, where absent. */
  readonly traffic?: TrafficOptions
  /** How many requests the journal keeps, an integer from 1; 10,000 where absent. */
  readonly journalLimit?: number
}

export interface Emulator {
  /** Addresses that `fetch` answers for. */
  readonly managementUrl: URL
  readonly loggingUrl: URL
  /** Answers in process, without a socket; any other origin is a network error. */
  readonly fetch: typeof fetch
  /**
   * Serves both interfaces on loopback.
   *
   * @param options.port management's port, logging's being the next one; two free ports where 0 or absent
   * @throws Error in one sentence where a port is in use; RangeError where it is no port
   */
  listen(options?: { port?: number }): Promise<Listening>
  /** Ends whatever `listen` opened, also connections that are streaming. */
  close(): Promise<void>
  readonly clock: Clock
  readonly state: State
  readonly journal: Journal
  readonly faults: Faults
  readonly fixtures: Fixtures
}

/**
 * A platform of its own, with fixtures and traffic, in a few milliseconds.
 *
 * @throws RangeError in one sentence where an option is not usable
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { seed = 1 } = options
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed must be an integer, not ${seed}`)
  if (options.clock === 'real' && options.start) throw new RangeError('A real clock has no start; use a virtual clock')
  const variants = chooseVariants(options.variants)
  const clock = options.clock === 'real' ? createRealClock() : createVirtualClock(options.start)
  const start = clock.now()

  const issuer = createIssuer(new TextEncoder().encode(createRandom(`issuer ${seed}`).hex(64)))
  const credentials = await createCredentials(issuer, createRandom(`access key ${seed}`), start)
  const fixtures: Fixtures = { ...roles, credentials }
  const state = createState(fixtures, seed, clock, variants)
  if (options.traffic) state.addTraffic(options.traffic)
  const random = createRandom(`requests ${seed}`)
  const platform: Platform = { state, clock, variants, limiter: createLimiter(variants), issuer, random }

  const faults = createFaults(clock)
  const journal = createJournal(options.journalLimit ?? defaultJournalLimit, credentialHeaders, () => state.keys.keys())
  const dispatch = createDispatch(platform, faults.strike, journal)
  const managementUrl = addressOf('management')
  const loggingUrl = addressOf('logging')
  const open: Listening[] = []
  return {
    managementUrl,
    loggingUrl,
    fetch: createFetch(
      { [managementUrl.origin]: 'management', [loggingUrl.origin]: 'logging' },
      dispatch,
      clock,
      journal,
    ),
    async listen({ port = 0 } = {}) {
      const listening = await listen({ clock, state, journal, faults }, dispatch, port)
      open.push(listening)
      return listening
    },
    close: async () => void (await Promise.all(open.splice(0).map((listening) => listening.close()))),
    clock,
    state,
    journal,
    faults,
    fixtures,
  }
}

const credentialHeaders = [
  ...new Set(Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header))),
]

/** The server that the document's contract names: an address that never leads anywhere else. */
function addressOf(name: keyof typeof contracts): URL {
  return new URL(contracts[name].openapi.document.servers[0]?.url ?? `https://${name}.invalid`)
}
