import { toRecord } from '@cdn/kit/record'
import { jsonOf, prepared } from '../../core/answer.ts'
import { call, eventually } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, need } from '../../core/failure.ts'
import { operationOf } from '../resources.ts'
import { allowedReferrers, hostnameIn, isOurs, write } from '../writes.ts'
import { lastingMs, type Scenario } from './scenario.ts'

const needs = ['zoneId', 'credentials.accessKey'] as const

/** Allowed referrers, observed by reading the pull zone (supplement). */
export const pullZone: readonly Scenario[] = [
  {
    requirement: 'management.add-allowed-referrer.effect',
    effect: 'write',
    needs,
    run: async (context) => {
      const hostname = await addHostname(context)
      expect(await isAllowed(context, hostname), `${hostname} among the allowed referrers`, 'it is not there')
    },
  },
  {
    requirement: 'management.add-allowed-referrer.effect',
    aspect: 'lasting',
    effect: 'write',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const hostname = await addHostname(context)
      await context.wait(lastingMs)
      expect(await isAllowed(context, hostname), `${hostname} there an hour later`, 'it is gone')
    },
  },
  {
    requirement: 'management.add-allowed-referrer.effect',
    aspect: 'twice',
    effect: 'write',
    needs,
    run: async (context) => {
      const Hostname = await addHostname(context)
      const { status } = await call(context, operationOf('add-allowed-referrer'), { body: { Hostname } })
      expect(await isAllowed(context, Hostname), `${Hostname} there after adding it twice`, 'it is not there')
      const kept = (await allowedReferrers(context)).filter((hostname) => hostname === Hostname).length
      context.observe('management.add-allowed-referrer.hostname-twice', { status, kept })
    },
  },
  {
    requirement: 'management.add-allowed-referrer.one-per-call',
    effect: 'write',
    needs,
    run: async (context) => {
      // A stale read may still show hostnames of other checks.
      const before = (await allowedReferrers(context)).filter((hostname) => !isOurs(hostname))
      const added = [await addHostname(context), await addHostname(context)]
      const expected = [...before, ...added].sort().join(', ')
      let shown = ''
      const isAsExpected = await eventually(context, async () => {
        const after = await allowedReferrers(context)
        shown = after
          .filter((hostname) => added.includes(hostname) || !isOurs(hostname))
          .sort()
          .join(', ')
        return shown === expected
      })
      expect(isAsExpected, expected, shown || 'none')
    },
  },
  {
    requirement: 'management.add-allowed-referrer.collection',
    effect: 'write',
    needs,
    run: async (context) => {
      await addHostname(context)
      const answer = prepared(await call(context, operationOf('get-pull-zone')), 'reading the pull zone')
      const { AllowedReferrers: seen } = toRecord(jsonOf(answer))
      const strings = Array.isArray(seen) && seen.every((hostname) => typeof hostname === 'string')
      expect(strings, 'a collection of hostnames', JSON.stringify(seen) ?? 'none')
    },
  },
  {
    requirement: 'management.add-allowed-referrer.zone-id',
    effect: 'write',
    needs: [...needs, 'loggedZoneId'],
    run: async (context) => {
      const other = need(context.fixtures.loggedZoneId, 'loggedZoneId')
      const before = await allowedReferrers(context, other)
      const hostname = await addHostname(context)
      const elsewhere = await allowedReferrers(context, other)
      expect(await isAllowed(context, hostname), `${hostname} in the zone of the path`, 'it is not there')
      expect(elsewhere.join() === before.join(), 'another zone unchanged', `${elsewhere.join(', ')} there`)
    },
  },
  {
    requirement: 'management.remove-allowed-referrer.effect',
    effect: 'write',
    needs,
    run: async (context) => {
      const removed = hostnameIn(await write(context, 'remove-allowed-referrer'))
      const isGone = await eventually(context, async () => !(await allowedReferrers(context)).includes(removed))
      expect(isGone, `${removed} no longer among the allowed referrers`, 'it is still there')
    },
  },
]

async function addHostname(context: CheckContext): Promise<string> {
  return hostnameIn(await write(context, 'add-allowed-referrer'))
}

function isAllowed(context: CheckContext, hostname: string): Promise<boolean> {
  return eventually(context, async () => (await allowedReferrers(context)).includes(hostname))
}
