import type { Check, CheckContext } from '../check.ts'
import { Failure, Skip, TargetUnavailable } from '../failure.ts'

/** A look at points that nobody states. It records what the target does, and never fails by itself (design §5). */
export interface Probe extends Pick<Check, 'effect' | 'needs' | 'burst' | 'wrongKey'> {
  readonly name: string
  /** Ids of the points: those of `x-not-shown`, and finer ones below an operation or a topic. */
  readonly points: readonly string[]
  /** What was seen at each point; one that could not be seen this time is left out. */
  look(context: CheckContext): Promise<Readonly<Record<string, unknown>>>
}

/** Makes the check of a probe. It stands for no requirement; what keeps it from looking makes it a skip. */
export function toCheck({ name, effect, needs, burst, wrongKey, look }: Probe): Check {
  return {
    id: `probe.${name}`,
    requirements: [],
    ground: 'supplement',
    through: 'supplement',
    effect,
    needs,
    ...(burst && { burst }),
    ...(wrongKey && { wrongKey }),
    run: async (context) => {
      try {
        for (const [point, value] of Object.entries(await look(context))) context.observe(point, value)
      } catch (error) {
        if (error instanceof Failure || error instanceof TargetUnavailable)
          throw new Skip(`nothing could be observed: ${error.message}`)
        throw error
      }
    },
  }
}
