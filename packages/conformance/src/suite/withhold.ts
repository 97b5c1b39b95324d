import type { Check } from '../check.ts'
import type { Permission } from '../plan.ts'
import type { Withheld } from '../run-check.ts'

/** A live run sends no more wrong keys than this: a platform may lock an account that keeps guessing. */
const wrongKeysAllowed = 2

/**
 * Decides which checks a live run must not send.
 *
 * @param checks all checks of the run
 * @param allow what the user permits beyond reading
 * @returns check id to the reason
 */
export function withholdOnLive(checks: readonly Check[], allow: readonly Permission[]): Map<string, Withheld> {
  const withheld = new Map<string, Withheld>()
  for (const check of checks) {
    const missing = permissionsOf(check).filter((permission) => !allow.includes(permission))
    if (missing.length > 0) {
      withheld.set(check.id, { outcome: 'disabled', message: `needs --allow ${missing.join(',')}` })
    }
  }
  const wrongKeys = checks.filter(({ id, wrongKey }) => wrongKey && !withheld.has(id))
  const kept = weightiest(wrongKeys)
  for (const { id } of wrongKeys) {
    if (!kept.includes(id)) {
      withheld.set(id, { outcome: 'skip', message: `a live run sends at most ${wrongKeysAllowed} wrong keys` })
    }
  }
  return withheld
}

function permissionsOf(check: Check): Permission[] {
  return [...(check.effect === 'read' ? [] : [check.effect]), ...(check.burst ? (['burst'] as const) : [])]
}

/** One check an interface first; among those what the document says, then what needs no supplement to be seen. */
function weightiest(checks: readonly Check[]): string[] {
  const sorted = checks.toSorted((a, b) => weight(a) - weight(b))
  const firsts = [...Map.groupBy(sorted, ({ id }) => id.split('.')[0]).values()].flatMap((group) => group.slice(0, 1))
  return [...firsts, ...sorted.filter((check) => !firsts.includes(check))]
    .slice(0, wrongKeysAllowed)
    .map(({ id }) => id)
}

function weight({ ground, through }: Check): number {
  return (ground === 'document' ? 0 : 2) + (through === 'document' ? 0 : 1)
}
