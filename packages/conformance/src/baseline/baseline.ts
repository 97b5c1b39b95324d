import { isDeepStrictEqual } from 'node:util'
import { ConfigurationError } from '../failure.ts'
import { compile, explainError, readJson } from '../read-json.ts'
import type { Observation, Report } from '../report/model.ts'

/** What was observed on one target when somebody looked at it and agreed. */
export interface Baseline {
  readonly target: Report['target']['kind']
  /** ISO 8601, UTC: when the run began that observed it. */
  readonly observedAt: string
  /** Observation id to value. */
  readonly observations: Readonly<Record<string, unknown>>
}

const validate = compile<Baseline>({
  type: 'object',
  additionalProperties: false,
  required: ['target', 'observedAt', 'observations'],
  properties: {
    target: { enum: ['mock', 'emulator', 'live'] },
    observedAt: { type: 'string' },
    observations: { type: 'object' },
  },
})

/**
 * Reads a baseline.
 *
 * @param target of the run; another target's baseline is refused
 * @throws ConfigurationError in one sentence
 */
export async function readBaseline(file: string, target: Baseline['target']): Promise<Baseline> {
  const baseline = await readJson(file, 'baseline')
  if (!validate(baseline)) {
    throw new ConfigurationError(
      `${file}: ${explainError(validate.errors?.[0]).message}; "conformance adopt --baseline FILE" writes one.`,
    )
  }
  if (baseline.target !== target) {
    throw new ConfigurationError(
      `${file}: the baseline was taken from the target ${baseline.target}, and this run is against ${target}.`,
    )
  }
  return baseline
}

/**
 * Holds observations against a baseline. A point that was not observed this time says nothing; one that the baseline does
 * not have is new, which is a change.
 */
export function compare(observations: readonly Observation[], { observations: known }: Baseline): Observation[] {
  return observations.map(({ id, value }) => {
    const plain: unknown = JSON.parse(JSON.stringify(value ?? null))
    return { id, value, baseline: known[id], drift: !isDeepStrictEqual(plain, known[id]) }
  })
}

/** The baseline that a report's observations make, its keys in order so that a change shows as one. */
export function toBaseline({ target, startedAt, observations }: Report): Baseline {
  const sorted = observations.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    target: target.kind,
    observedAt: startedAt,
    observations: Object.fromEntries(sorted.map(({ id, value }) => [id, value ?? null])),
  }
}
