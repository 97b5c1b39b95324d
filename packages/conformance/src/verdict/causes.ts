/** Groups violations into causes, so that each mistake of the target is reported once. All functions are pure. */
import { assertDefined } from '@cdn/kit/assert-defined'
import { mistakeKey, success } from '../exchange/failure.ts'
import type { Cause, CheckResult } from '../exchange/report-model.ts'
import { type CheckViolation, type JudgedCheck, masks, violationOf } from './violations.ts'

/**
 * Finds the causes of the checks that did not pass.
 *
 * - A violation that another one explains (`masks`) is masked: its check could not observe its own requirement.
 * - Violations of one operation are one cause if they have the observation, a requirement, or the parameter of the smallest case in common.
 * - Violations of several operations are one cause if all called operations of an interface show the same status, or if the same sentence
 *   is broken with the same observation.
 *
 * @returns the causes: failures before errors, and the spec before other sources. The first check of a cause is the one that shows it best
 */
export function causesOf(judged: readonly JudgedCheck[]): Cause[] {
  const wrong = judged.filter(({ result }) => result.outcome === 'fail' || result.outcome === 'error')
  const violations = wrong.map(violationOf).toSorted((one, other) => one.rank - other.rank)
  const maskOf = new Map(
    violations.flatMap((one) => {
      const mask = violations.find((other) => masks(other, one) && !violations.some((third) => masks(third, other)))
      return mask ? [[one, mask] as const] : []
    }),
  )
  const shown = violations.filter((one) => !maskOf.has(one))
  const groups = acrossOperations(joined(shown), new Set(judged.flatMap(({ called }) => called))).toSorted(byWeight)
  const ids = new Set<string>()
  return groups.map((group) => {
    const first = assertDefined(group[0])
    const hidden = violations.filter((one) => group.includes(maskOf.get(one) ?? one) && !group.includes(one))
    const useless = group.filter(({ isControl }) => isControl).map((one) => one.operation)
    // If a skipped check called an operation whose control failed, that failure is the reason for the skip.
    const skipped = judged.filter(
      ({ result: { outcome, requests, deferred }, called }) =>
        outcome === 'skip' && requests > 0 && !deferred && called.some((name) => useless.includes(name)),
    )
    const failed = group.filter(({ result }) => result.outcome === 'fail')
    const operation = operationIn(group)
    return {
      id: freshId(first.result, operation, ids),
      outcome: failed.length > 0 ? 'fail' : 'error',
      source: strongest(group),
      operation,
      seen: first.seen,
      expected: first.result.evidence?.expected ?? success(),
      requirements: [...new Set(failed.flatMap(({ result }) => result.requirements))],
      checks: group.map(({ result }) => result.id),
      masked: [...hidden, ...skipped].map(({ result }) => result.id),
    }
  })
}

/** Failures come before errors, and the spec before other sources. */
function byWeight(one: readonly CheckViolation[], other: readonly CheckViolation[]): number {
  const weightOf = (group: readonly CheckViolation[]) =>
    (group.some(({ result }) => result.outcome === 'fail') ? 0 : sources.length) + sources.indexOf(strongest(group))
  return weightOf(one) - weightOf(other)
}

function joined(violations: readonly CheckViolation[]): CheckViolation[][] {
  let groups: { readonly keys: ReadonlySet<string>; readonly members: readonly CheckViolation[] }[] = []
  for (const violation of violations) {
    const { operation, key, seen, parameters, form, result } = violation
    const of = `${result.outcome} ${operation}`
    const [parameter = 'none', ...more] = parameters ?? ['', '']
    const keys = [
      ...[key, mistakeKey(seen), ...result.requirements].map((each) => `${of} ${each}`),
      ...(more.length === 0 ? [`${of} parameter ${parameter}`] : []),
      // Mistakes that a repeated request does not show again are one cause.
      ...('once' in seen ? [`${of} once`] : []),
      // The same mistake is one cause, whichever operation shows it, and so is the same unexpected change.
      form,
      ...result.requirements.map((id) => `${result.outcome} ${id} ${key}`),
    ]
    const own = groups.filter((group) => keys.some((key) => group.keys.has(key)))
    const whole = {
      keys: new Set([...own.flatMap((group) => [...group.keys]), ...keys]),
      members: [...own.flatMap(({ members }) => members), violation],
    }
    groups = own[0]
      ? groups.flatMap((one) => (one === own[0] ? [whole] : own.includes(one) ? [] : [one]))
      : [...groups, whole]
  }
  return groups.map(({ members }) => members.toSorted((one, other) => one.rank - other.rank))
}

/** Joins causes with the same status if every called operation of an interface shows it. Causes of both interfaces may become one. */
function acrossOperations(groups: readonly CheckViolation[][], called: ReadonlySet<string>): CheckViolation[][] {
  const alike = Map.groupBy(groups, ([first], index) =>
    assertDefined(first).isStatus ? assertDefined(first).key : index,
  )
  return [...alike.values()].flatMap((some) => {
    const showing = new Set(some.flatMap((group) => group.map(({ operation }) => operation)))
    const isEverywhere = ([first]: CheckViolation[]) => {
      const own = [...called].filter((name) => interfaceOf(name) === interfaceOf(assertDefined(first).operation))
      return own.length > 1 && own.every((name) => showing.has(name))
    }
    const everywhere = some.filter(isEverywhere)
    return everywhere.length > 1 ? [everywhere.flat(), ...some.filter((group) => !isEverywhere(group))] : some
  })
}

function interfaceOf(operation: string): string {
  return assertDefined(operation.split('.')[0])
}

/** The operation of a cause: `management.*` or `logging.*` for several operations of one interface, `*` for operations of both. */
function operationIn(group: readonly CheckViolation[]): string {
  const all = new Set(group.map(({ operation }) => operation))
  const [first = '*'] = all
  if (all.size === 1) return first
  return new Set([...all].map(interfaceOf)).size === 1 ? `${interfaceOf(first)}.*` : '*'
}

/**
 * Makes the id of a cause: its first requirement (`OPERATION.unavailable` for an error), the operation if the requirement covers several,
 * and a number if the id is taken.
 */
function freshId({ id, requirements, outcome }: CheckResult, operation: string, taken: Set<string>): string {
  const base = outcome === 'error' ? `${operation}.unavailable` : (requirements[0] ?? id)
  const name = operation.split('.')[1] ?? '*'
  const whole = name === '*' || base.split(/[./]/).includes(name) ? base : `${base}/${name}`
  let fresh = whole
  for (let count = 2; taken.has(fresh); count++) fresh = `${whole}/${count}`
  taken.add(fresh)
  return fresh
}

const sources = ['spec', 'supplement', 'robustness', 'unspecified'] as const

function strongest(group: readonly CheckViolation[]): Cause['source'] {
  return sources.find((source) => group.some(({ result }) => result.source === source)) ?? 'supplement'
}
