import { createLoggingClient, createManagementClient, readLogFile, readLogs, unwrap } from '@cdn/api'
import { toRecord } from '@cdn/kit/record'
import { attacksOf, describeAttacks, errorOf } from '@cdn/kit/testing/attack'
import { collect } from '@cdn/kit/testing/collect'
import { expect } from 'vitest'

const bodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'a field __proto__': '{"Id":1,"__proto__":{"polluted":1}}',
  'a field __proto__ and a long integer': '{"Id":9007199254740993,"__proto__":{"polluted":1}}',
  'a field constructor': '{"Id":1,"constructor":{"prototype":{"polluted":1}}}',
  'a field constructor and a long integer': '{"Id":9007199254740993,"constructor":{"prototype":{"polluted":1}}}',
  'names of methods': '{"toString":1,"valueOf":1,"hasOwnProperty":1,"toJSON":1,"then":1,"Id":9007199254740993}',
  'many open brackets': '['.repeat(2e5),
  'many closed brackets': `${'['.repeat(2e5)}${']'.repeat(2e5)}`,
  'many brackets around a long integer': `${'['.repeat(2e4)}9007199254740993${']'.repeat(2e4)}`,
  'many objects around a long integer': `${'{"a":'.repeat(2e4)}9007199254740993${'}'.repeat(2e4)}`,
  'an error of many levels': `{"Message":${'['.repeat(2e4)}${']'.repeat(2e4)}}`,
  'an infinite number': '{"Id":1e999}',
  'a number beyond 64 bits': '{"Id":1e300}',
  'an integer of a hundred thousand digits': `{"Id":${'9'.repeat(1e5)}}`,
  'a key that is a long integer': '{"9007199254740993":9007199254740993}',
  'a text that looks like a marked integer': '{"Id":9007199254740993,"Name":"#9007199254740993","Text":"##1"}',
  'lone surrogates': '{"Id":1,"Name":"\\ud800"}',
  'NUL and escapes': '{"Id":1,"Name":"\\u0000\\u001b[2J"}',
  'a byte order mark': '\ufeff{"Id":1}',
  'two values': '{"Id":1}{"Id":2}',
  'a comment': '{"Id":1/**/}',
  NaN: '{"Id":NaN}',
  'a repeated key': '{"Id":1,"Id":"x"}',
  'single quotes': "{'Id':1}",
  'cut in a text of escaped quotes': `[1234567890123456,"${'\\"'.repeat(2000)}`,
  'cut in an escape': '{"Id":9007199254740993,"Name":"\\u00',
  'cut in a number': '{"Id":-',
  'cut in a literal': '{"Id":nul',
  'invalid UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x22, 0x3a, 0x31, 0x7d]),
  'UTF-16': new Uint8Array(Buffer.from('\ufeff{"Id":1}', 'utf16le')),
  'compressed without a header': new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
  'white space': ' \n\t ',
  'a text': '"Id"',
  null: 'null',
  'an error with wrong types':
    '{"error":{"code":{"a":1},"message":[],"details":{"a":1}},"ErrorKey":[],"Field":{},"Message":7}',
}

const names = new Set(['ApiError', 'TransportError', 'IncompleteLogsError'])

async function parseBody(body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  for (const status of [200, 400]) {
    const fetch = async () => new Response(body, { status, headers: { 'content-type': 'application/json' } })
    const management = createManagementClient({ baseUrl: 'https://management.invalid', fetch, retry: false })
    const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, retry: false })
    const sleep = async () => {}
    const failures = [
      await errorOf(() => unwrap(management.GET('/pullzone/{id}', { params: { path: { id: 1 } } }))),
      await errorOf(() => collect(readLogs(logging, { pullZoneId: 1, from: 0, to: 1000, retry: { sleep } }))),
      await errorOf(() => collect(readLogFile(logging, { pullZoneId: 1, date: 0, retry: { sleep } }))),
    ]
    for (const failure of failures.filter(Boolean)) expect(names).toContain(toRecord(failure)['name'])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  }
}

/** Rows with fields of the wrong type, and with `__proto__` as a name. The rest of the page is valid. */
const rows = [
  '{}',
  'null',
  '[]',
  '"row"',
  '{"__proto__":{"polluted":1}}',
  '{"timestamp":"2026-06-17T12:00:00Z","pullZoneId":"1","__proto__":{"polluted":1}}',
  '{"timestamp":"not a time","pullZoneId":1}',
  '{"timestamp":1e999,"pullZoneId":1}',
  '{"timestamp":"+275760-09-13T00:00:00.001Z","pullZoneId":1}',
  '{"timestamp":"2026-06-17T12:00:00Z","pullZoneId":9007199254740993}',
  '{"timestamp":"1970-01-01T00:00:00.5Z","pullZoneId":1,"statusCode":"__proto__","bytesSent":-1e300}',
  '{"timestamp":"1970-01-01T00:00:00.5Z","pullZoneId":2,"authorizationHeader":"Bearer CANARY"}',
]

async function readRow(row: string): Promise<void> {
  const page = `{"data":[${row}],"pagination":{"offset":0,"limit":1000,"returned":1,"hasMore":false},"query":{}}`
  const fetch = async () => new Response(page, { headers: { 'content-type': 'application/json' } })
  const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, retry: false })
  const read = () => collect(readLogs(logging, { pullZoneId: 1, from: 0, to: 1000, retry: { sleep: async () => {} } }))
  const failure = await errorOf(read)
  if (failure) expect(names).toContain(toRecord(failure)['name'])
  expect(String(failure)).not.toContain('CANARY')
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
}

/** Size at which the attacker stops, in MiB: above each default limit. */
const maxMiB = 48
const filler: Readonly<Record<string, number>> = { spaces: 0x20, digits: 0x39, 'open brackets': 0x5b }

/** Creates a response whose body ends only after `maxMiB`, like a decoded bomb. `pulled` counts the requested parts of 1 MiB. */
function endless(byte: number, status: number) {
  const part = new Uint8Array(1 << 20).fill(byte)
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      if (++pulled > maxMiB) controller.close()
      else controller.enqueue(part)
    },
  })
  return { response: new Response(body, { status }), pulled: () => pulled }
}

const bombs = Object.entries(filler).flatMap(([name, byte]) => [
  { name: `${name}, management`, byte, status: 200, call: 'zone' as const },
  { name: `${name}, a page of version 2`, byte, status: 200, call: 'page' as const },
  { name: `${name}, readLogs`, byte, status: 200, call: 'rows' as const },
  { name: `${name}, a line of version 1`, byte, status: 200, call: 'lines' as const },
  { name: `${name}, an error`, byte, status: 500, call: 'zone' as const },
])

async function readEndless({ byte, status, call }: (typeof bombs)[number]): Promise<void> {
  const { response, pulled } = endless(byte, status)
  const fetch = async () => response
  const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, retry: false })
  const management = createManagementClient({ baseUrl: 'https://management.invalid', fetch, retry: false })
  const common = { pullZoneId: 1, attempts: 1, retry: { sleep: async () => {} } }
  const calls = {
    zone: () => unwrap(management.GET('/pullzone/{id}', { params: { path: { id: 1 } } })),
    page: () => unwrap(logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })),
    rows: () => collect(readLogs(logging, { ...common, from: 0, to: 1000 })),
    lines: () => collect(readLogFile(logging, { ...common, date: 0 })),
  }
  await errorOf(calls[call])
  expect(pulled()).toBeLessThan(maxMiB)
}

describeAttacks([
  {
    name: 'bodies: hostile JSON',
    holds: 'a value or an error of the client; no prototype is changed',
    attacks: attacksOf(bodies, parseBody),
  },
  {
    name: 'bodies: hostile rows',
    holds: 'rows or an error of the client, without the credential of a visitor',
    attacks: attacksOf(rows, readRow),
  },
  {
    name: 'bodies: without an end',
    holds: 'the client stops reading',
    attacks: bombs.map((row) => ({ name: row.name, run: () => readEndless(row) })),
  },
])
