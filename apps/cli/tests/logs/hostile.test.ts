import type { StoredLogRow as LogRow } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { beforeAll, describe, expect, test } from 'vitest'
import { outputFormats } from '../../src/output/create-output.ts'
import { createPlatform, type Platform, type PlatformSetting } from '../support/platform.ts'

const hostile = {
  color: '\u001b[31mred\u001b[0m',
  title: '\u001b]0;owned\u0007',
  clipboard: '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'one-byte CSI': '\u009b2J',
  backspace: 'safe\b\b\b\bevil\u007f',
  lines: 'first\r\nsecond\u2028third\u2029fourth\u0085fifth',
  'right to left': 'user\u202egnp.exe\u2066\u2069\u200f\u061c',
  invisible: 'a\ufeffb\u00adc\u2060d\u{e0041}',
  formula: '=cmd|"/c calc"!A0',
  'formula after a space': ' \t+1+1',
  'full-width formula': '＝1+1',
  surrogates: 'lone \ud83d and \udc00',
  nul: 'a\u0000b',
  long: `/${'x'.repeat(8184)}`,
  'wide and joined': '漢字 👩‍👩‍👧 e\u0301',
  markup: '</script><img src=x onerror=alert(1)>',
  quotes: 'a,"b";c|d\te',
} as const

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not appear
const steering = /[\x00-\x09\x0b-\x1f\x7f-\x9f]|(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of the program itself: colors, and the status line
const permitted = /\x1b\[\d+(;\d+)*m|\r\x1b\[2K/g

const zone = '10001'

/** Runs a command line. Advances the emulator's time first, so that the rate limit allows the run. */
function run(words: readonly string[], setting?: PlatformSetting) {
  platform.emulator.clock.advance(2000)
  return platform.run(words, setting)
}

let platform: Platform
let written: readonly LogRow[]

beforeAll(async () => {
  platform = await createPlatform({ traffic: { zones: 1, rowsPerSecond: 0.001, hostileShare: 0 } })
  const { clock, state } = platform.emulator
  Object.assign(defined(state.zones.get(zone)), { extendedLogging: true, addresses: 'whole' })
  const model = defined(state.logs.rows(zone)[0])
  written = Object.values(hostile).flatMap((text, index) => {
    const timestamp = clock.now().getTime() - 60_000 + index * 1000
    const common = { ...model, originShield: false, pullZoneId: zone, authorizationHeader: `Bearer canary ${text}` }
    return [
      { ...common, timestamp, path: `/${text}`, userAgent: text, referer: text, contentRange: text },
      {
        ...common,
        timestamp: timestamp + 1,
        host: text,
        countryCode: text,
        edgeLocation: text,
        cacheStatus: text,
        requestId: text,
      },
    ]
  })
  state.logs.append(written)
})

const commands = {
  query: ['logs', 'query', zone, '--since', '10m', '--all', '--order', 'asc'],
  tail: ['logs', 'tail', zone, '--since', '10m', '--for', '1s'],
  stats: ['logs', 'stats', zone, '--since', '10m', '--top', '100'],
} as const

/** Replaces a word with invalid UTF-8, as a broken proxy or store might do. */
const broken: typeof fetch = async (...request) => {
  const response = await platform.emulator.fetch(...request)
  const bytes = Buffer.from(await response.arrayBuffer())
  for (let at = bytes.indexOf('owned'); at !== -1; at = bytes.indexOf('owned'))
    bytes.set([0xff, 0xc0, 0xaf, 0xed, 0xa0], at)
  return new Response(bytes, response)
}

describe.each(Object.entries(commands))('%s', (_name, words) => {
  test.each(outputFormats)('as %s control no terminal, neither there nor in a pipe', async (format) => {
    for (const columns of [undefined, 40, 120, 20_000]) {
      for (const fetch of [platform.emulator.fetch, broken]) {
        const { code, out, err } = await run([...words, '-o', format], {
          fetch,
          ...(columns !== undefined && { columns }),
        })
        expect([code, err.replaceAll(permitted, '').split('\n')[0]]).toEqual([
          0,
          expect.not.stringContaining('Internal'),
        ])
        for (const line of `${out}${err}`.replaceAll(permitted, '').split('\n')) expect(line).not.toMatch(steering)
        expect(`${out}${err}`).not.toContain('canary')
        expect(out.length).toBeGreaterThan(300)
      }
    }
  })
})

test.each(['query', 'tail'] as const)(
  '%s prints every row completely as JSON: only lone surrogates are replaced',
  async (name) => {
    const { out } = await run([...commands[name], '-o', 'ndjson'])
    const rows = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const fields = [
      'path',
      'userAgent',
      'referer',
      'contentRange',
      'host',
      'countryCode',
      'edgeLocation',
      'cacheStatus',
      'requestId',
    ] as const
    const printed = rows.map((row) => fields.map((field) => row[field] ?? null))
    const expected = written.map((row) => fields.map((field) => row[field]?.toWellFormed() ?? null))
    expect(printed.filter((texts) => expected.some((other) => texts.join() === other.join()))).toHaveLength(
      written.length,
    )
    expect(rows.filter(({ authorizationHeader }) => authorizationHeader === '[hidden]')).toHaveLength(written.length)
  },
)
