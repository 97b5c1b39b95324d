import type { Check, CheckContext } from '../../core/check.ts'
import { Failure, Skip, TargetUnavailable } from '../../core/failure.ts'

/** Observes unspecified points. A probe records what the target does, and never fails. */
export interface Probe extends Pick<Check, 'effect' | 'needs' | 'burst' | 'wrongKey'> {
  readonly name: string
  /** Ids of the observed points: points of `x-unspecified`, and finer points below an operation or a topic. */
  readonly points: readonly string[]
  /** Returns the value of each observed point. Points that could not be observed this time are left out. */
  observe(context: CheckContext): Promise<Readonly<Record<string, unknown>>>
}

/** Makes the check of a probe. The check covers no requirement. If the observation fails, the check is skipped. */
export function probeCheck({ name, effect, needs, burst, wrongKey, observe }: Probe): Check {
  return {
    id: `probe.${name}`,
    requirements: [],
    source: 'supplement',
    basis: 'supplement',
    effect,
    needs,
    ...(burst && { burst }),
    ...(wrongKey && { wrongKey }),
    run: async (context) => {
      try {
        for (const [point, value] of Object.entries(await observe(context))) context.observe(point, value)
      } catch (error) {
        if (error instanceof Failure || error instanceof TargetUnavailable)
          throw new Skip(`nothing could be observed: ${error.message}`)
        throw error
      }
    },
  }
}
