import type { StoredLogRow } from '../../src/platform/state/log-row.ts'
import { type Ask, createRow, type start } from '../support/start.ts'

/** The parts of an emulator that an observation uses. */
export interface Outside extends Ask {
  readonly key: string
  readonly bearer: string
  readonly noScope: string
  /** Adds rows to pull zone 2002. */
  append(...rows: (Pick<StoredLogRow, 'timestamp'> & Partial<StoredLogRow>)[]): Promise<void>
  /** The rows of pull zone 2002. */
  storedRows(): Promise<readonly StoredLogRow[]>
  advance(ms: number): Promise<void>
}

export function outsideOf({ emulator, ask }: Awaited<ReturnType<typeof start>>): Outside {
  const { clock, fixtures, state } = emulator
  const { accessKey: key, bearer, noScope } = fixtures.credentials
  return {
    ...ask,
    key,
    bearer,
    noScope,
    append: async (...rows) => state.logs.append(rows.map((row) => createRow({ pullZoneId: '2002', ...row }))),
    storedRows: async () => state.logs.rows('2002'),
    advance: async (ms) => clock.advance(ms),
  }
}

export interface Observation {
  observe(outside: Outside): Promise<unknown>
  /** The expected observation for each value of the variant. */
  readonly expected: Readonly<Record<string, unknown>>
}

/** Start time of the emulator's virtual clock. */
export const now = Date.parse('2026-06-17T14:30:00.000Z')

/** A time relative to the start, in the format of version 2. */
export function at(ms: number): string {
  return new Date(now + ms).toISOString()
}

/** The parts of a page of version 2 that observations use. */
export interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[] | null
  readonly pagination: { readonly limit: number; readonly returned: number }
  readonly query: { readonly from: string; readonly to: string }
}

/** Reads a page of pull zone 2002. */
export async function readPage({ logging }: Outside, query: string): Promise<Page> {
  return await pageOf(await logging(`v2/pullzones/2002/logs?${query}`))
}

/** Parses the body of a response with a page of version 2. */
export async function pageOf(response: Response): Promise<Page> {
  return JSON.parse(await response.text())
}

/** Reads lines of version 1 of pull zone 2002, except blank lines. */
export async function readLines({ logging }: Outside, query: string): Promise<string[]> {
  return (await (await logging(`06-17-26/2002.log?${query}`)).text()).split('\n').filter(Boolean)
}
