import { isDeepStrictEqual } from 'node:util'
import type { Schemas } from '../gen/schemas.ts'
import type { Observation, Report } from '../report/model.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { orSay, writeWhole } from '../run/files.ts'
import { readJson } from '../run/read-json.ts'

/** Observations on one target that a person reviewed and accepted. */
export type Baseline = Schemas['Baseline']

/**
 * Reads a baseline.
 *
 * @param target the target of the run; a baseline of another target is refused
 * @throws SuiteConfigurationError in one sentence
 */
export async function readBaseline(file: string, target: Baseline['target']): Promise<Baseline> {
  const baseline = await readJson(file, 'baseline', 'Baseline', '"conformance run --adopt FILE" writes one')
  if (baseline.target === target) return baseline
  throw new SuiteConfigurationError(
    `${file}: the baseline was taken from the target ${baseline.target}, and this run is against ${target}.`,
  )
}

/** Compares observations with a baseline. A new point counts as drift. A point that this run did not observe does not. */
export function compare(observations: readonly Observation[], { observations: known }: Baseline): Observation[] {
  return observations.map(({ id, value }) => ({
    ...{ id, value, baseline: known[id] },
    drift: !isDeepStrictEqual(value, known[id]),
  }))
}

/**
 * Writes a report's observations as a baseline. Sorts the keys, so that a diff shows only the changes.
 *
 * @throws SuiteConfigurationError in one sentence if the file cannot be written
 */
export async function writeBaseline(file: string, { target, startedAt, observations }: Report): Promise<void> {
  const sorted = observations.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const baseline: Baseline = {
    target: target.kind,
    observedAt: startedAt,
    observations: Object.fromEntries(sorted.map(({ id, value }) => [id, value])),
  }
  await orSay('write', file, () => writeWhole(file, `${JSON.stringify(baseline, null, 2)}\n`, 0o644))
}
