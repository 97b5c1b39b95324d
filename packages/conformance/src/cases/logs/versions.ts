import { isIP } from 'node:net'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { type ContractChecks, type Draft, draft } from '../../requirements.ts'
import { call } from '../../run/call.ts'
import type { CheckContext } from '../../run/check.ts'
import { expect, need, Skip } from '../../run/failure.ts'
import { expectStatus, expectSuccess, isSuccess, jsonOf, prepared } from '../../run/response.ts'
import { impossibleDays, similarIds, wrappingId } from '../input/hostile.ts'
import { dayParameterOf, operationOf } from '../resources.ts'
import { logFilters } from './expected.ts'
import {
  canonical,
  fileResponse,
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
export const logs: ContractChecks = (operation) => {
  const checks = { 'query-logs': v2Checks, 'read-log-file': v1Checks }[operation.name] ?? []
  return checks.map((each) => draft(operation, { needs, ...each }))
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

const v2Checks: readonly Draft[] = [
  {
    slug: 'no-match',
    text: 'A filter with a text that no entry has picks no entry.',
    basis: 'supplement',
    run: verifyNoMatch,
  },
  {
    slug: 'zone',
    text: 'The path parameter picks the pull zone.',
    basis: 'supplement',
    needs: [...needs, 'otherLoggedZoneId'],
    run: verifyZone,
  },
  {
    slug: 'json',
    text: 'Version 2 answers with JSON.',
    run: async (context) => {
      const response = await call(context, operationOf('query-logs'))
      expectSuccess(response)
      jsonOf(response)
      const type = response.headers.get('content-type') ?? 'none'
      expect(/^application\/(.+\+)?json\b/i.test(type), 'a JSON content type', type)
    },
  },
  {
    slug: 'service.raw-logs',
    topic: 'service.raw-logs',
    text: 'The interface gives raw request logs.',
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
    slug: 'addresses',
    text: 'A pull zone that anonymises addresses shows their networks, or none of them.',
    basis: 'supplement',
    run: verifyAddresses,
  },
  {
    slug: 'default-range',
    text: 'The default range is the last 24 hours.',
    run: async (context) => {
      const now = context.now().getTime()
      const { query } = await queryLogs(context, { limit: '1' })
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
      expect(to - from === dayMs, 'a range of 24 hours', `${(to - from) / 3_600_000} hours`)
      // The clock of the `Date` header, which corrects that of the suite, may differ from the clock of the logs by seconds.
      expect(Math.abs(to - now) < 60_000, 'a range that ends now', query.to)
    },
  },
  {
    slug: 'limit-bounds',
    text: 'A limit outside its bounds is answered 400.',
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

const v1Checks: readonly Draft[] = [
  {
    slug: 'day',
    text: 'Version 1 answers with the logs of the given day.',
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
    slug: 'service.raw-logs',
    topic: 'service.raw-logs',
    text: 'The interface gives raw request logs.',
    run: async (context) => {
      const { rows } = await sample(context, { minRows: 1 })
      // A file shows this row by default, because its status class is one of the default classes (supplement).
      const row = rows.find(({ statusCode }) => Number(statusCode) >= 200)
      if (!row) throw new Skip('no row that a file must show')
      const lines = await readFileLines(context, new Date(rowTime(row)), { end: '10' })
      expect(lines.length > 0, 'lines of a day with traffic', 'none')
    },
  },
  {
    slug: 'attachment',
    text: 'The file comes as an attachment, unless download is false.',
    run: async (context) => {
      const { day } = await shownDay(context)
      for (const [query, isExpected] of [
        [{}, true],
        [{ download: 'false' }, false],
      ] as const) {
        const { headers } = await fileResponse(context, day, { end: '1', ...query })
        const disposition = headers.get('content-disposition') ?? 'none'
        expect(/^attachment\b/i.test(disposition) === isExpected, `${isExpected ? 'an' : 'no'} attachment`, disposition)
      }
    },
  },
]

function timeText(time: number): string {
  return Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
