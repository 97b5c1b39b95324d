/** Runs of the suite on an emulator with variants, and on one that follows the report of such a run. */
import { type Likeness, likenessOf, type VariantPoint, type Variants, variantTable } from '@cdn/emulator'
import { openRun } from '../../src/run/open-run.ts'
import { planOf } from '../../src/run/plan.ts'
import { runChecks } from '../../src/run/run-checks.ts'
import { assembleReport } from '../../src/verdict/assemble.ts'

export const points: readonly [string, VariantPoint][] = Object.entries(variantTable)

/**
 * Runs checks on an emulator.
 *
 * @param likeness what the emulator follows; with the variants alone, the report compares nothing
 * @param only ids of the checks; all by default
 * @returns the report, and the check of each observation
 */
export async function reportOn(
  likeness: Likeness | { readonly variants: Partial<Variants> },
  only?: readonly string[],
) {
  const { signal } = new AbortController()
  const target = 'emulator'
  const followed = 'observations' in likeness ? likeness : undefined
  const none = { startedAt: '', seed: 1, observations: new Map(), followed: [], open: [], others: [], ...likeness }
  const open = await openRun({ target, seed: 1, likeness: none }, planOf({ target, only }), { signal })
  const checkOf = new Map<string, string>()
  await runChecks(open, {
    signal,
    limitMs: 1_200_000,
    onRun({ result, observations }) {
      for (const { id } of observations) checkOf.set(id, result.id)
    },
  })
  return { report: assembleReport({ ...(await open.close()), likeness: followed, status: 'complete' }), checkOf }
}

/** The ids of the observations that show a variant; undefined if none can. */
export function observationsOf({ shown }: VariantPoint): string[] | undefined {
  if (typeof shown === 'object' && 'never' in shown) return undefined
  const places = typeof shown === 'string' ? [shown] : Object.values(shown).flatMap(Object.keys)
  return [...new Set(places.map((place) => place.split('/')[0] ?? ''))]
}

/** The variants that a report shows with another value than the emulator had, or not at all. */
export function lostVariants(report: unknown, variants: Partial<Variants>): string[] {
  const shown = likenessOf(report).variants
  return points.flatMap(([name, point]) => {
    const [had, back] = [variants[name as keyof Variants], shown[name as keyof Variants]]
    return had === undefined || had === back || !observationsOf(point)
      ? []
      : [`${name} = ${had}: ${back ?? 'not shown'}`]
  })
}
