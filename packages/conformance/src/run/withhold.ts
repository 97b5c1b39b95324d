import { dayMs } from '@cdn/kit/time'
import type { Check } from '../exchange/check.ts'
import { interfaceIn } from '../exchange/resources.ts'
import type { Permission } from '../exchange/run-types.ts'
import type { WithheldReason } from './run-check.ts'

/**
 * Decides which checks a live run withholds. Without the permission `wrong-keys`, it sends one wrong key to each interface, because more
 * could make the platform lock the account. The checks with a wrong key rotate daily, so that each of them runs after some days.
 *
 * @param allow permitted effects, in addition to reading
 * @param today selects the checks with a wrong key
 * @returns map from check id to the reason
 */
export function withholdOnLive(
  checks: readonly Check[],
  allow: readonly Permission[],
  today: Date = new Date(),
): Map<string, WithheldReason> {
  const withheld = new Map<string, WithheldReason>()
  for (const check of checks) {
    const missing = permissionsOf(check).filter((permission) => !allow.includes(permission))
    if (missing.length > 0) withheld.set(check.id, { message: `needs --allow ${missing.join(',')}`, withheld: true })
  }
  const wrongKeys = checks.filter(({ id, wrongKey }) => wrongKey && !withheld.has(id))
  const day = Math.floor(today.getTime() / dayMs)
  if (allow.includes('wrong-keys')) return withheld
  const message =
    'a run sends one wrong key to each interface, so that no account is locked; a run on another day sends this one'
  for (const group of Map.groupBy(wrongKeys, ({ id }) => interfaceIn(id)).values())
    for (const { id } of group.filter((_, index) => index !== day % group.length))
      withheld.set(id, { message, withheld: true, deferred: true })
  return withheld
}

function permissionsOf(check: Check): Permission[] {
  return [...(check.effect === 'read' ? [] : [check.effect]), ...(check.burst ? (['burst'] as const) : [])]
}
