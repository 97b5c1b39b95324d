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
  const wrongKeys = checks.filter(({ id, wrongKey }) => wrongKey && !withheld.has(id)).sort(byWeight)
  for (const { id } of wrongKeys.slice(wrongKeysAllowed)) {
    withheld.set(id, { outcome: 'skip', message: `a live run sends at most ${wrongKeysAllowed} wrong keys` })
  }
  return withheld
}

function permissionsOf(check: Check): Permission[] {
  return [...(check.effect === 'read' ? [] : [check.effect]), ...(check.burst ? (['burst'] as const) : [])]
}

/** What the document says comes first, then what needs no supplement to be seen. */
function byWeight(a: Check, b: Check): number {
  return weight(a) - weight(b)
}

function weight({ ground, through }: Check): number {
  return (ground === 'document' ? 0 : 2) + (through === 'document' ? 0 : 1)
}
