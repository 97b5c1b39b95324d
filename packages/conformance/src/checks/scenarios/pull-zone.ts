import { toRecord } from '@cdn/kit/record'
import { jsonOf, prepared } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, need } from '../../core/failure.ts'
import { operationOf } from '../resources.ts'
import { allowedReferrers, hostnameIn, write } from '../writes.ts'
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
      const after = await allowedReferrers(context)
      expect(after.includes(hostname), `${hostname} among the allowed referrers`, `${after.length} others`)
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
      expect((await allowedReferrers(context)).includes(hostname), `${hostname} there an hour later`, 'it is gone')
    },
  },
  {
    requirement: 'management.add-allowed-referrer.one-per-call',
    effect: 'write',
    needs,
    run: async (context) => {
      const before = await allowedReferrers(context)
      const added = [await addHostname(context), await addHostname(context)]
      const after = await allowedReferrers(context)
      const expected = [...before, ...added].sort().join(', ')
      expect([...after].sort().join(', ') === expected, expected, after.join(', ') || 'none')
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
      const there = await allowedReferrers(context)
      const elsewhere = await allowedReferrers(context, other)
      expect(there.includes(hostname), `${hostname} in the zone of the path`, 'it is not there')
      expect(elsewhere.join() === before.join(), 'another zone unchanged', `${elsewhere.join(', ')} there`)
    },
  },
  {
    requirement: 'management.remove-allowed-referrer.effect',
    effect: 'write',
    needs,
    run: async (context) => {
      const removed = hostnameIn(await write(context, 'remove-allowed-referrer'))
      const after = await allowedReferrers(context)
      expect(!after.includes(removed), `${removed} no longer among the allowed referrers`, 'it is still there')
    },
  },
]

async function addHostname(context: CheckContext): Promise<string> {
  return hostnameIn(await write(context, 'add-allowed-referrer'))
}
