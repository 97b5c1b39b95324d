import { isIP } from 'node:net'
import { toRecord } from '@cdn/kit/record'
import { call } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { expect, requireOrSkip, Skip, value, wrong } from '../../exchange/failure.ts'
import { isDropped } from '../../exchange/log-rows.ts'
import { type ChecksOf, decide } from '../../exchange/requirements.ts'
import { operationOf } from '../../exchange/resources.ts'
import { jsonOf, successOrSkip } from '../../exchange/response.ts'
import { referenceOf } from './reference.ts'

export const hiddenAddressChecks: ChecksOf = (operation) =>
  operation.name === 'query-logs'
    ? [
        decide(operation, {
          decides: '<operation>.addresses',
          basis: 'supplement',
          needs: ['loggedZoneId', 'credentials.accessKey'],
          run: verifyAddresses,
        }),
      ]
    : []

/** Checks that addresses are shown as the management interface states: dropped, or without their last octet (/24, /64). */
async function verifyAddresses(context: CheckContext): Promise<void> {
  const { items } = await referenceOf(context)
  const id = requireOrSkip(context.fixtures.loggedZoneId, 'loggedZoneId')
  const response = successOrSkip(await call(context, operationOf('get-pull-zone'), { path: { id } }), 'reading')
  const { LoggingIPAnonymizationEnabled: isAnonymous, LogAnonymizationType: type } = toRecord(jsonOf(response))
  if (isAnonymous !== true || (type !== 0 && type !== 1)) throw new Skip('the pull zone does not anonymise addresses')
  const shown = items.flatMap(({ row: { remoteIp } }) =>
    typeof remoteIp === 'string' && isIP(remoteIp) > 0 ? [remoteIp] : [],
  )
  if (shown.length === 0) throw new Skip('no row shows an address')
  const isNetwork = (address: string) => /\.0$/.test(address) || /^([\da-f]+:){1,4}:$/i.test(address)
  const odd = shown.filter((address) => (type === 1 ? !isDropped(address) : isDropped(address) || !isNetwork(address)))
  // An address is personal, so the message does not show it.
  expect(
    odd.length === 0,
    value(type === 1 ? 'no addresses' : 'addresses without their last octet'),
    wrong('rows show more of an address than the pull zone states', { text: `${odd.length} rows` }),
  )
}
