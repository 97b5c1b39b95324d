import { createLimiter, type LoggingClientOptions } from '@cdn/api'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { createRequestLimiter } from './exchange/rate-limit.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createDispatch } from './http/dispatch.ts'
import { createFetch } from './http/in-process.ts'
import { type Listening, type ListenOptions, listen } from './http/listen.ts'
import { createJournal, defaultJournalLimit, type Journal } from './journal/journal.ts'
import { createRealClock, createVirtualClock, type EmulatorClock } from './platform/clock.ts'
import { createCredentials, createFixtures, type EmulatorFixtures } from './platform/fixtures.ts'
import type { EmulatorContext } from './platform/handler.ts'
import { readState } from './platform/state/read-state.ts'
import { createState, type State } from './platform/state/state.ts'
import { createIssuer } from './platform/token-issuer.ts'
import type { TrafficOptions } from './platform/traffic/options.ts'
import { createRandom } from './platform/traffic/random.ts'
import { type Likeness, likenessOf } from './variants/likeness.ts'
import { chooseVariants, type Variants, variantsOfTraffic } from './variants/variants.ts'

export type { Listening, ListenOptions }

export interface EmulatorOptions {
  /** Seed of the traffic and of all random choices: an integer, 1 by default. */
  readonly seed?: number
  /** `virtual` by default. */
  readonly clock?: 'virtual' | 'real'
  /** Start of a virtual clock; `defaultStart` by default. */
  readonly start?: Date
  /** Behaviours at points that the specification leaves open; see `variantTable`. */
  readonly variants?: Partial<Variants>
  /**
   * A conformance report (the parsed `report.json`) whose observations choose the variants, so that the emulator behaves as the platform
   * did in that run. `variants` take precedence; what the report does not show keeps its default.
   */
  readonly like?: unknown
  /** Continuous traffic, in addition to the rows of a fresh emulator; none by default. */
  readonly traffic?: TrafficOptions
  /** Collections that replace those of a fresh emulator: `{ resources: { '/pullzone': [{ Id: 1 }] } }`. Items get plain values for omitted fields. */
  readonly state?: unknown
  /** Maximum number of requests in the journal, and of violations: an integer from 1, 10,000 by default. */
  readonly journalLimit?: number
}

export interface Emulator {
  /** Base URLs that `fetch` serves. */
  readonly managementUrl: URL
  readonly loggingUrl: URL
  /** Serves requests in process, without a socket. A request to any other origin is a network error. */
  readonly fetch: typeof fetch
  /**
   * Serves both interfaces, by default on free ports of loopback.
   *
   * @throws Error in one sentence if a port is in use or not permitted, or if the host is invalid; RangeError if the port is out of
   *   range
   */
  listen(options?: ListenOptions): Promise<Listening>
  /** Closes all servers that `listen` opened, and all their connections, even those that are streaming. */
  close(): Promise<void>
  readonly clock: EmulatorClock
  readonly state: State
  readonly journal: Journal
  readonly faults: Faults
  readonly fixtures: EmulatorFixtures
  /**
   * Returns the options of a client of `@cdn/api` for this emulator: its address, `fetch` and key. Pauses, time-outs and the rate limit
   * follow its clock, so a virtual clock moves instead of the test waiting.
   */
  clientOptions(name: InterfaceName): EmulatorClientOptions
  /** The current behaviours at points that the specification leaves open. */
  readonly variants: Variants
  /** What the report of `like` shows: the variants that it decides, and those that it leaves open. */
  readonly likeness: Likeness | undefined
  /**
   * Changes behaviours from the next request on. Omitted points keep their behaviour. A change of `variantsOfTraffic` regenerates the
   * rows of a fresh emulator. Rows that were appended to its zones with logging are lost.
   *
   * @throws RangeError in one sentence if a variant or a value is unknown
   */
  setVariants(chosen: Partial<Variants>): void
}

/** Options that `clientOptions` returns. Only those of the logging interface have a limiter. */
export type EmulatorClientOptions = Required<Pick<LoggingClientOptions, 'baseUrl' | 'fetch' | 'accessKey' | 'clock'>> &
  Pick<LoggingClientOptions, 'limiter'>

/**
 * Creates an independent platform with fixtures and traffic, in a few milliseconds.
 *
 * @throws RangeError in one sentence if an option is invalid
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { seed = 1 } = options
  if (!('groupBy' in Map)) throw new Error('@cdn/emulator needs Node 22.15 or later.')
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed must be an integer, not ${seed}`)
  if (options.clock === 'real' && options.start) throw new RangeError('A real clock has no start; use a virtual clock')
  const likeness = options.like === undefined ? undefined : likenessOf(options.like)
  // All parts share this one object, and `setVariants` changes it in place.
  const variants = chooseVariants(options.variants ?? {}, likeness?.variants)
  const clock = options.clock === 'real' ? createRealClock() : createVirtualClock(options.start)
  const issuer = createIssuer(createRandom(`issuer ${seed}`).hex(64))
  const credentials = createCredentials(issuer, createRandom(`access key ${seed}`), clock.now())
  const fixtures = createFixtures(credentials)
  const state = createState(fixtures, seed, clock, variants)
  if (options.state !== undefined) state.resources.start(readState(options.state, state.resources))
  if (options.traffic) state.addTraffic(options.traffic)
  const random = createRandom(`requests ${seed}`)
  const context: EmulatorContext = { state, clock, variants, limiter: createRequestLimiter(variants), issuer, random }

  const faults = createFaults(seed, variants)
  const journal = createJournal(options.journalLimit ?? defaultJournalLimit, () => state.keys.keys())
  const dispatch = createDispatch(context, faults.select, journal)
  const managementUrl = addressOf('management')
  const loggingUrl = addressOf('logging')
  const open: Promise<Listening>[] = []
  const setVariants = (chosen: Partial<Variants>) => {
    const before = { ...variants }
    Object.assign(variants, chooseVariants(chosen, variants))
    if (variantsOfTraffic.some((name) => variants[name] !== before[name])) state.renewInitialRows()
  }
  const controlled = { clock, state, journal, faults, variants, firstVariants: { ...variants }, setVariants }
  const limiter = createLimiter(clock.client)
  const origins = { [managementUrl.origin]: 'management', [loggingUrl.origin]: 'logging' } as const
  const fetch = createFetch(origins, dispatch, clock, journal)
  return {
    ...controlled,
    likeness,
    managementUrl,
    loggingUrl,
    fixtures,
    fetch,
    clientOptions: (name) => ({
      baseUrl: name === 'management' ? managementUrl : loggingUrl,
      fetch,
      accessKey: credentials.accessKey,
      clock: clock.client,
      ...(name === 'logging' && { limiter }),
    }),
    listen(listenOptions = {}) {
      const listening = listen(controlled, dispatch, listenOptions)
      open.push(listening) // before it listens, so that `close` waits for it
      return listening
    },
    async close() {
      const listening = await Promise.allSettled(open.splice(0))
      await Promise.all(listening.map((each) => each.status === 'fulfilled' && each.value.close()))
    },
  }
}

/** Returns the server URL of the contract. `fetch` answers requests to this URL in process and never contacts that server. */
function addressOf(name: keyof typeof contracts): URL {
  return new URL(contracts[name].openapi.spec.servers[0]?.url ?? `https://${name}.invalid`)
}
