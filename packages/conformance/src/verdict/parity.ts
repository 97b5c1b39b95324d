import { isDeepStrictEqual } from 'node:util'
import type { Likeness } from '@cdn/emulator'
import type { Observation, Report } from '../exchange/report-model.ts'

/** Compares the observations of an emulator with those of the platform that it follows. */
export function parityOf(
  { startedAt, observations: platform }: Likeness,
  emulator: readonly Observation[],
): NonNullable<Report['parity']> {
  const shown = new Map(emulator.map(({ id, value }) => [id, value]))
  const others = [...platform].flatMap(([id, value]) =>
    isDeepStrictEqual(shown.get(id), value)
      ? []
      : [{ id, platform: value, ...(shown.has(id) && { emulator: shown.get(id) }) }],
  )
  return { startedAt, same: platform.size - others.length, others }
}
