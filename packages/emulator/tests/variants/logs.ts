import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import { at, now, type Observation, pageOf, readLines, readPage } from './observation.ts'

const whole = `from=${at(-3 * dayMs)}&limit=10000&includeOriginShield=true`
const recent = `from=${at(-60_000)}&to=${at(0)}`

/** Shows the value of each variant of version 2 and of the log rows by requests. */
export const pageObservations = {
  tieOrder: {
    // Ten requests read twelve rows with the same millisecond. Observes whether they show more than one order.
    observe: async (outside) => {
      await outside.append(...Array.from({ length: 12 }, (_, index) => ({ timestamp: now - 1000, path: `/${index}` })))
      const read = async () =>
        JSON.stringify(
          (await readPage(outside, recent)).data
            ?.map((entry) => entry['path'])
            .filter((path) => /^\/\d/.test(String(path))),
        )
      const orders = new Set<string>()
      for (let count = 0; count < 10; count++) orders.add(await read())
      return orders.size > 1 ? 'many' : 'one'
    },
    expected: { shuffled: 'many', stable: 'one' },
  },
  nullFields: {
    observe: async (outside) => {
      await outside.append({ timestamp: now - 1000, path: '/null', referer: null })
      const entry = assertDefined((await readPage(outside, `${recent}&urlContains=/null`)).data?.[0])
      return 'referer' in entry ? entry['referer'] : 'omitted'
    },
    expected: { omitted: 'omitted', null: null },
  },
  timestampStyle: {
    observe: async (outside) => {
      const { data, query } = await readPage(outside, 'limit=1')
      return [String(data?.[0]?.['timestamp']), query.to].map((time) => time.replace(/^.*\.\d{3}/, ''))
    },
    expected: { Z: ['Z', 'Z'], '+00:00': ['+00:00', '+00:00'] },
  },
  storedPrecision: {
    observe: async ({ storedRows }) => {
      const rows = await storedRows()
      return rows.every(({ timestamp }) => Number.isInteger(timestamp)) ? 'whole milliseconds' : 'finer'
    },
    expected: { millisecond: 'whole milliseconds', microsecond: 'finer' },
  },
  shownPrecision: {
    observe: async (outside) => {
      await outside.append({ timestamp: now - 999.3, path: '/fraction' })
      const [line] = await readLines(outside, 'search=/fraction')
      const { data } = await readPage(outside, `${recent}&urlContains=/fraction`)
      return [Number(line?.split('|')[2]) - now, Date.parse(String(data?.[0]?.['timestamp'])) - now]
    },
    expected: { cut: [-1000, -1000], rounded: [-999, -999] },
  },
  emptyPage: {
    observe: async (outside) => (await readPage(outside, `from=${at(0)}&to=${at(0)}`)).data,
    expected: { array: [], null: null },
  },
  requestIds: {
    observe: async (outside) => {
      const ids = assertDefined((await readPage(outside, whole)).data).map((entry) => entry['requestId'])
      const given = ids.filter((id) => id !== null)
      return { null: given.length < ids.length, shared: new Set(given).size < given.length }
    },
    expected: {
      unique: { null: false, shared: false },
      'some null': { null: true, shared: false },
      'some shared': { null: false, shared: true },
    },
  },
  loneSurrogates: {
    observe: async ({ logging }) => {
      const text = await (await logging(`v2/pullzones/2002/logs?${whole}`)).text()
      return { escaped: /\\ud83d(?!\\u)/.test(text), replaced: text.includes('lone surrogate \ufffd end') }
    },
    expected: { replaced: { escaped: false, replaced: true }, raw: { escaped: true, replaced: false } },
  },
  controlCharacters: {
    observe: async ({ logging }) => {
      const text = await (await logging(`v2/pullzones/2002/logs?${whole}`)).text()
      return /\\u001b\[31m/.test(text)
    },
    expected: { raw: true, absent: false },
  },
  pageCap: {
    observe: async (outside) => {
      await outside.append(...Array.from({ length: 1200 }, (_, index) => ({ timestamp: now - 1000 - index })))
      const { data, pagination } = await readPage(outside, `${recent}&limit=5000`)
      return [pagination.limit, data?.length]
    },
    expected: { none: [5000, 1200], 1000: [1000, 1000] },
  },
  limitTooLarge: {
    observe: async ({ logging }) => {
      const response = await logging('v2/pullzones/2002/logs?limit=10001')
      return response.ok ? (await pageOf(response)).pagination.limit : response.status
    },
    expected: { refused: 400, lowered: 10_000 },
  },
  defaultFrom: {
    observe: async ({ logging }) => {
      const response = await logging(`v2/pullzones/2002/logs?to=${at(-2.5 * dayMs)}`)
      return response.ok ? (await pageOf(response)).query.from : response.status
    },
    expected: { refused: 400, clamped: at(-3 * dayMs) },
  },
  futureTo: {
    observe: async (outside) => (await readPage(outside, `to=${at(hourMs)}&limit=1`)).query.to,
    expected: { kept: at(hourMs), clamped: at(0) },
  },
  dateWithoutZone: {
    observe: async ({ logging }) =>
      Promise.all(
        ['2026-06-17', '2026-06-17T10:00', '2026-06-17T10:00:00'].map(async (from) => {
          const response = await logging(`v2/pullzones/2002/logs?from=${from}&limit=1`)
          return response.ok ? (await pageOf(response)).query.from : response.status
        }),
      ),
    expected: {
      refused: [400, 400, 400],
      UTC: ['2026-06-17T00:00:00.000Z', '2026-06-17T10:00:00.000Z', '2026-06-17T10:00:00.000Z'],
    },
  },
  searchCase: {
    observe: async (outside) => {
      await outside.append({ timestamp: now - 1000, userAgent: 'MixedCase/1' })
      const { data } = await readPage(outside, `${recent}&search=mixedcase`)
      return [data?.length, (await readLines(outside, 'search=mixedcase')).length]
    },
    expected: { insensitive: [1, 1], sensitive: [0, 0] },
  },
  pageCoding: {
    observe: async ({ logging, key }) => {
      const headers = { AccessKey: key, 'Accept-Encoding': 'gzip' }
      const response = await logging('v2/pullzones/2002/logs', { headers })
      return [response.headers.get('content-encoding'), (await pageOf(response)).data?.length]
    },
    expected: { gzip: ['gzip', 100], identity: [null, 100] },
  },
} satisfies Record<string, Observation>

/** Observations of the variants of version 1. */
export const fileObservations = {
  fileOrder: {
    observe: async (outside) => {
      const times = (await readLines(outside, 'sort=asc')).map((line) => Number(line.split('|')[2]))
      return times.every((time, index) => time >= (times[index - 1] ?? 0)) ? 'sorted' : 'not sorted'
    },
    expected: { sorted: 'sorted', unsorted: 'not sorted' },
  },
  fileEnd: {
    observe: async (outside) => (await readLines(outside, 'start=1&end=4')).length,
    expected: { exclusive: 3, inclusive: 4 },
  },
  filePastEnd: {
    observe: async ({ logging }) => (await logging('06-17-26/2002.log?start=100000')).status,
    expected: { 204: 204, 200: 200 },
  },
  fileDay: {
    observe: async ({ logging }) => {
      const response = await logging('06-01-26/2002.log')
      return [response.status, response.ok ? await response.text() : 'refused']
    },
    expected: { refused: [400, 'refused'], empty: [200, ''] },
  },
  fileDateForm: {
    observe: async ({ logging }) => [
      (await logging('2026-06-17/2002.log')).status,
      (await logging('02-30-26/2002.log')).status,
    ],
    expected: { 403: [403, 403], 400: [400, 400] },
  },
  fileStatusCodes: {
    observe: async (outside) => {
      const { status } = await outside.logging('06-17-26/2002.log?status=404,500')
      const classes = status === 200 ? await readLines(outside, 'status=404,500') : []
      return [status, [...new Set(classes.map((line) => line.split('|')[1]?.[0]))].sort()]
    },
    expected: { refused: [400, []], class: [200, ['4', '5']] },
  },
  fileShield: {
    observe: async (outside) => {
      await outside.append({ timestamp: now - 1000, path: '/shield', originShield: true })
      return (await readLines(outside, 'search=/shield')).length
    },
    expected: { 'left out': 0, included: 1 },
  },
  fileBlankLines: {
    observe: async ({ logging }) =>
      (await (await logging('06-17-26/2002.log')).text()).split('\n').slice(0, -1).includes(''),
    expected: { none: false, some: true },
  },
  fileErrorBody: {
    observe: async ({ logging }) => {
      const response = await logging('06-17-26/2002.log?status=9')
      return [response.headers.get('content-type'), (await response.text()).replace(/[:",].*$/s, '')]
    },
    expected: { json: ['application/json', '{'], text: ['text/plain; charset=utf-8', 'invalid_request'] },
  },
} satisfies Record<string, Observation>
