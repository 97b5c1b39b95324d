import { isIP } from 'node:net'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { type ChecksOf, type Decision, decide } from '../../requirements.ts'
import { call } from '../../run/call.ts'
import type { CheckContext } from '../../run/check.ts'
import { expect, need, Skip } from '../../run/failure.ts'
import { expectStatus, isSuccess, jsonOf, prepared } from '../../run/response.ts'
import { impossibleDays, similarIds, wrappingId } from '../input/hostile.ts'
import { dayParameterOf, operationOf } from '../resources.ts'
import { logFilters } from './expected.ts'
import {
  canonical,
  linesOf,
  maxSample,
  pageOf,
  queryLogs,
  range,
  readFileLines,
  rowTime,
  sample,
  shownDay,
  timeOfLine,
} from './rows.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Checks what the spec states about the logs. They observe it through the supplement's fields and parameters. */
export const logs: ChecksOf = (operation) => {
  const checks = { 'query-logs': v2Checks, 'read-log-file': v1Checks }[operation.name] ?? []
  return checks.map((each) => decide(operation, { needs, ...each }))
}

/** Same query, another id in the path: the rows of another pull zone, or none. */
async function verifyZone(context: CheckContext): Promise<void> {
  const { from, to } = await sample(context, { minRows: 1 })
  const query = { ...range(from, to), order: 'asc', limit: `${maxSample}` }
  const id = need(context.fixtures.loggedZoneId, 'loggedZoneId')
  // The zone id in a row proves nothing, so compare the rows. Two zones hardly ever get the same requests.
  const textOf = async (zone: string) => {
    const { rows } = await queryLogs(context, query, zone)
    return rows
      .map(({ pullZoneId: _, ...row }) => canonical(row))
      .sort()
      .join('\n')
  }
  const isSame = (await textOf(id)) === (await textOf(need(context.fixtures.otherLoggedZoneId, 'otherLoggedZoneId')))
  expect(!isSame, 'different rows in the two zones', 'the same rows in both')
  // The status for an absent zone is unspecified (§7), but no other zone has this id.
  for (const misread of [...similarIds, wrappingId]) {
    const pullZoneId = `${misread(BigInt(id))}`
    const response = await call(context, operationOf('query-logs'), { path: { pullZoneId }, query: { limit: '1' } })
    expect(!isSuccess(response) || pageOf(response).rows.length === 0, `no rows of the pull zone ${pullZoneId}`, 'some')
  }
}

/** Addresses are shown as the management interface says: dropped, or without their last octet (/24, /64). */
async function verifyAddresses(context: CheckContext): Promise<void> {
  const { rows } = await sample(context, { minRows: 1 })
  const id = need(context.fixtures.loggedZoneId, 'loggedZoneId')
  const zone = toRecord(
    jsonOf(prepared(await call(context, operationOf('get-pull-zone'), { path: { id } }), 'reading')),
  )
  const { LoggingIPAnonymizationEnabled: isAnonymous, LogAnonymizationType: type } = zone
  if (isAnonymous !== true || (type !== 0 && type !== 1)) throw new Skip('the pull zone does not anonymise addresses')
  const shown = rows.flatMap(({ remoteIp }) => (typeof remoteIp === 'string' && isIP(remoteIp) > 0 ? [remoteIp] : []))
  if (shown.length === 0) throw new Skip('no row shows an address')
  const isNetwork = (address: string) => /\.0$/.test(address) || /^([\da-f]+:){1,4}:$/i.test(address)
  const odd = shown.filter((address) => (type === 1 ? !isDropped(address) : isDropped(address) || !isNetwork(address)))
  // An address is personal, so that the message has none.
  expect(odd.length === 0, type === 1 ? 'no addresses' : 'addresses without their last octet', `${odd.length} others`)
}

/** A text that no entry has picks no entry. A refusal is permitted, too: no source states the form of most filters. */
async function verifyNoMatch(context: CheckContext): Promise<void> {
  const { from, to, rows } = await sample(context, { minRows: 1 })
  // A pull zone that drops addresses ignores the filter (supplement).
  const hasAddresses = rows.some(({ remoteIp }) => typeof remoteIp === 'string' && !isDropped(remoteIp))
  for (const name of Object.keys(logFilters['query-logs'])) {
    if (name === 'remoteIp' && !hasAddresses) continue
    const query = { ...range(from, to), [name]: noSuchText }
    const response = await call(context, operationOf('query-logs'), { query })
    const isNone = !isSuccess(response) || pageOf(response).rows.length === 0
    expect(isNone, `no entry for ${name}=${noSuchText}`, 'some')
  }
}

const noSuchText = 'no-such-text-7f3a'

function isDropped(address: string): boolean {
  return /^(0\.0\.0\.0|::)$/.test(address)
}

const v2Checks: readonly Decision[] = [
  {
    decides: '<operation>.no-match',
    basis: 'supplement',
    run: verifyNoMatch,
  },
  {
    decides: '<operation>.zone',
    basis: 'supplement',
    needs: [...needs, 'otherLoggedZoneId'],
    run: verifyZone,
  },
  {
    decides: '<interface>.service.raw-logs',
    basis: 'supplement',
    run: async (context) => {
      if ((await queryLogs(context, {})).rows.length > 0) return
      // Without traffic, version 2 has no rows. A request that version 1 shows must be in version 2, too.
      const time = timeOfLine(defined((await shownDay(context)).lines[0]))
      const { rows } = await queryLogs(context, range(time - 1, time + 2))
      expect(rows.length > 0, `the request that version 1 shows at ${timeText(time)}`, 'no row')
    },
  },
  {
    decides: '<operation>.addresses',
    basis: 'supplement',
    run: verifyAddresses,
  },
  {
    decides: '<operation>.limit-bounds',
    run: async (context) => {
      const operation = operationOf('query-logs')
      const { minimum = 0, maximum = 0 } = operation.parameters.find(({ name }) => name === 'limit')?.schema ?? {}
      const { from, to } = await sample(context)
      for (const limit of [minimum, maximum, minimum - 1, maximum + 1]) {
        const response = await call(context, operation, { query: { ...range(from, to), limit: `${limit}` } })
        expectStatus(response, limit < minimum || limit > maximum ? 400 : 200)
      }
    },
  },
]

const v1Checks: readonly Decision[] = [
  {
    decides: '<operation>.day',
    run: async (context) => {
      const today = Math.floor(context.now().getTime() / dayMs) * dayMs
      let isEmpty = true
      // It is enough to read the lines next to midnight: a server that ignores the day shows the same lines in both files.
      for (const midnight of [today - dayMs, today])
        for (const sort of ['asc', 'desc'])
          for (const line of await readFileLines(context, new Date(midnight), { sort, end: '10' })) {
            const time = timeOfLine(line)
            // The server may round a time up to the next millisecond.
            const isOfDay = time >= midnight && time <= midnight + dayMs
            expect(isOfDay, `times of ${new Date(midnight).toISOString().slice(0, 10)}`, () => timeText(time))
            isEmpty = false
          }
      if (isEmpty) throw new Skip('the files of today and yesterday are empty')
      const operation = operationOf('read-log-file')
      for (const day of Object.values(impossibleDays(new Date(today - dayMs)))) {
        const path = { [defined(dayParameterOf(operation))]: day }
        const response = await call(context, operation, { path, query: { end: '1' } })
        expect(!isSuccess(response) || linesOf(response).length === 0, `no lines of the impossible day ${day}`, 'some')
      }
    },
  },
  {
    decides: '<interface>.service.raw-logs',
    run: async (context) => {
      const { rows } = await sample(context, { minRows: 1 })
      // A file shows this row by default, because its status class is one of the default classes (supplement).
      const row = rows.find(({ statusCode }) => Number(statusCode) >= 200)
      if (!row) throw new Skip('no row that a file must show')
      const lines = await readFileLines(context, new Date(rowTime(row)), { end: '10' })
      expect(lines.length > 0, 'lines of a day with traffic', 'none')
    },
  },
]

function timeText(time: number): string {
  return Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
