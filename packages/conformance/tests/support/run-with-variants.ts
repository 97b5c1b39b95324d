/** Runs of the suite on an emulator with variants, and on one that follows the report of such a run. */
import {
  type Likeness,
  likenessOf,
  observationsOf,
  type VariantPoint,
  type Variants,
  variantTable,
} from '@cdn/emulator'
import { openRun } from '../../src/run/open-run.ts'
import { createRunPlan } from '../../src/run/plan.ts'
import { runChecks } from '../../src/run/run-checks.ts'
import { assembleReport } from '../../src/verdict/assemble-report.ts'

export const variantPoints: readonly [string, VariantPoint][] = Object.entries(variantTable)

/**
 * Runs checks on an emulator.
 *
 * @param variants of the emulator
 * @param options `only`: ids of the checks, all by default; `likeness`: what the report compares the observations with
 * @returns the report, and the check of each observation
 */
export async function reportOn(
  variants: Partial<Variants>,
  { only, likeness }: { readonly only?: readonly string[]; readonly likeness?: Likeness } = {},
) {
  const { signal } = new AbortController()
  const target = 'emulator'
  const open = await openRun({ target, seed: 1, variants }, createRunPlan({ target, only }), { signal })
  const checkOf = new Map<string, string>()
  await runChecks(open, {
    signal,
    limitMs: 1_200_000,
    onRun({ result, observations }) {
      for (const { id } of observations) checkOf.set(id, result.id)
    },
  })
  return { report: assembleReport({ ...(await open.close()), likeness, status: 'complete' }), checkOf }
}

/** The variants that a report shows with another value than the emulator had, or not at all. */
export function lostVariants(report: unknown, variants: Partial<Variants>): string[] {
  const shown = likenessOf(report).variants
  return variantPoints.flatMap(([name, point]) => {
    const [had, back] = [variants[name as keyof Variants], shown[name as keyof Variants]]
    const isLost = had !== undefined && had !== back && observationsOf(point).length > 0
    return isLost ? [`${name} = ${had}: ${back ?? 'not shown'}`] : []
  })
}
