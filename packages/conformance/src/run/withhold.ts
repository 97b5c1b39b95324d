import { dayMs } from '@cdn/kit/time'
import type { Check } from '../exchange/check.ts'
import { interfaceIn } from '../exchange/resources.ts'
import type { Permission } from '../exchange/run.ts'
import type { Withheld } from './run-check.ts'

/**
 * Decides which checks a live run withholds. It sends one wrong key to each interface, because more could make the platform
 * lock the account. The checks with a wrong key rotate daily, so that each of them runs after some days.
 *
 * @param allow permitted effects, in addition to reading
 * @param today selects the checks with a wrong key
 * @returns map from check id to the reason
 */
export function withholdOnLive(
  checks: readonly Check[],
  allow: readonly Permission[],
  today: Date = new Date(),
): Map<string, Withheld> {
  const withheld = new Map<string, Withheld>()
  for (const check of checks) {
    const missing = permissionsOf(check).filter((permission) => !allow.includes(permission))
    if (missing.length > 0) withheld.set(check.id, { message: `needs --allow ${missing.join(',')}` })
  }
  const wrongKeys = checks.filter(({ id, wrongKey }) => wrongKey && !withheld.has(id))
  const day = Math.floor(today.getTime() / dayMs)
  const message = 'a run sends 1 wrong key to each interface; this check runs on another day'
  for (const group of Map.groupBy(wrongKeys, ({ id }) => interfaceIn(id)).values())
    for (const { id } of group.filter((_, index) => index !== day % group.length))
      withheld.set(id, { message, deferred: true })
  return withheld
}

function permissionsOf(check: Check): Permission[] {
  return [...(check.effect === 'read' ? [] : [check.effect]), ...(check.burst ? (['burst'] as const) : [])]
}
