/** The command line on a real pseudo-terminal. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { openTerminal, useProgram, withoutStyle } from './terminal.ts'

useProgram()

const query = 'cdn logs query 2002 --since 3d --limit 20'

describe('a table', () => {
  test('is the default on a terminal, with colours, and fits its width', async () => {
    const { run } = await openTerminal({ columns: 72 })
    const { code, text } = await run(query)
    expect(code).toBe(0)
    expect(text).toContain('\u001b[1m')
    const lines = withoutStyle(text).trimEnd().split('\r\n')
    expect(lines).toHaveLength(21)
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(72)
  })

  test('has no colours with NO_COLOR or on a terminal without colours', async () => {
    const { run } = await openTerminal()
    for (const line of [`NO_COLOR=1 ${query}`, `TERM=dumb ${query}`]) {
      const { text } = await run(line)
      expect(text.split('\r\n').length).toBeGreaterThan(10)
      expect(text).not.toContain('\u001b')
    }
  })
})

test('an empty result is reported, also with --all', async () => {
  const { run } = await openTerminal()
  const { code, text } = await run('cdn logs query 2002 --since 3d --all --request-id 00000000000000000000000000000000')
  expect([code, text]).toEqual([0, expect.stringContaining('cdn: No row of this range matches.')])
})

describe('a confirmation', () => {
  const destroy = 'cdn video-library delete-watermark 1001'

  test('names the affected resource, and waits for a yes', async () => {
    const { start, end, type, until, emulator } = await openTerminal()
    await start(destroy)
    const question = await until('Continue? [y/N] ')
    expect(withoutStyle(question)).toMatch(
      /Delete watermark: DELETE \/videolibrary\/1001\/watermark on 127\.0\.0\.1:\d+\./,
    )
    expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(true)
    type('y\r')
    expect((await end()).code).toBe(0)
    expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(false)
  })

  test.each(['', 'yess'])('is declined by %j', async (answer) => {
    const { start, end, type, until, emulator } = await openTerminal()
    await start(destroy)
    await until('[y/N] ')
    type(`${answer}\r`)
    const { code, text } = await end()
    expect(code).toBe(1)
    expect(text).toContain('cdn: Nothing was sent.')
    expect(emulator.journal.entries).toEqual([])
  })

  test('is refused if the user cannot see or answer it', async () => {
    const { run, emulator } = await openTerminal()
    expect((await run(`${destroy} < /dev/null`)).code).toBe(2)
    expect((await run(`${destroy} 2> /dev/null`)).code).toBe(2)
    expect(emulator.journal.entries).toEqual([])
  })
})

test('a typed key is not shown, and only its owner can read the stored key', async () => {
  const { start, end, type, until, text, home } = await openTerminal()
  await start(
    'cdn auth login --no-check --profile typed --management-url "$CDN_MANAGEMENT_URL" --logging-url "$CDN_LOGGING_URL"',
  )
  await until('(not shown): ')
  type('CANARX\u007fY-key\r')
  expect((await end()).code).toBe(0)
  expect(text()).not.toContain('CANAR')
  const file = join(home, '.config/cdn/profiles.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    profiles: { typed: { CDN_ACCESS_KEY: 'CANARY-key' } },
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

describe('Ctrl-C', () => {
  const control = '\u0003'

  test.each([
    ['env -u CDN_MANAGEMENT_URL -u CDN_LOGGING_URL cdn auth login', '(not shown): '],
    ['cdn video-library delete-watermark 1001', 'Continue? [y/N] '],
    ['cdn logs tail 2002 --since 1h', /GET|\d{2}:\d{2}/],
  ])('ends %s with 130, and restores the terminal', async (line, sign) => {
    const { run, start, end, type, until } = await openTerminal()
    const before = (await run('stty -a')).text
    await start(line)
    await until(sign)
    type(control)
    const { code, text } = await end()
    expect(code).toBe(130)
    expect(text).not.toMatch(/ {2}at |Error/)
    expect((await run('stty -a')).text).toBe(before)
    // If the cursor was hidden, it is visible again.
    expect(text.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(text.lastIndexOf('\u001b[?25l'))
  })
})

test('a table adapts to a resized terminal', async () => {
  const { start, end, type, until, resize, emulator } = await openTerminal({ columns: 150 })
  const row = assertDefined(emulator.state.logs.rows('2002')[0])
  let count = 0
  const add = () => {
    const path = `/row-${++count}/${'x'.repeat(300)}`
    emulator.state.logs.append([{ ...row, timestamp: Date.now() - 1000, host: 'a', path }])
  }
  const rowOf = async (number: number) => {
    const text = withoutStyle(await until(new RegExp(`row-${number}/[^\r\n]*\r?\n`)))
    const line = assertDefined(
      text
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1),
    )
    // The status line at the bottom is erased before a row is written.
    return line.replace('\u001b[2K', '')
  }
  add()
  await start('cdn logs tail 2002 --since 1m --interval 400ms')
  expect([...(await rowOf(1))].length).toBeGreaterThan(100)
  resize(70)
  add()
  const line = await rowOf(2)
  expect([...line].length).toBeGreaterThan(30)
  expect([...line].length).toBeLessThanOrEqual(70)
  type('\u0003')
  expect((await end()).code).toBe(130)
})

test('output into a pipe shows no status line; output into a file leaves it on the terminal', async () => {
  const { run, emulator } = await openTerminal()
  const row = assertDefined(emulator.state.logs.rows('2002')[0])
  const rows = Array.from({ length: 1500 }, (_, n) => ({ ...row, timestamp: Date.now() - hourMs + n * 1000 }))
  emulator.state.logs.append(rows)
  const piped = await run('cdn logs tail 2002 --since 2h --for 1s | cat 2>&1')
  expect(piped.text).not.toContain('\u001b')
  const filed = await run('cdn logs query 2002 --since 1d --all > rows.ndjson; wc -l < rows.ndjson')
  expect(filed.text).toMatch(/\d,\d{3} rows · \d+\.\d % of the range/)
})

test('cdn try: a shell in which every command works without an account', async () => {
  const { home, start, end, type, until } = await openTerminal({
    env: { SHELL: '/bin/sh', CDN_PROFILE: 'none', CDN_BEARER_TOKEN: 'CANARY' },
  })
  const config = join(home, '.config/cdn')
  mkdirSync(config, { recursive: true, mode: 0o700 })
  const saved = {
    profiles: {
      default: {
        CDN_ACCESS_KEY: 'CANARY',
        CDN_MANAGEMENT_URL: 'http://127.0.0.1:9',
        CDN_LOGGING_URL: 'http://127.0.0.1:9',
      },
    },
  }
  writeFileSync(join(config, 'profiles.json'), JSON.stringify(saved), { mode: 0o600 })
  await start('cdn try')
  const greeting = await until('and the platform: exit')
  const examples = [...greeting.matchAll(/^ {2}(cdn .*?)\r?$/gm)].map(([, line]) => assertDefined(line))
  expect(examples.length).toBeGreaterThan(5)
  for (const example of examples.filter((line) => !/ (tail|delete)/.test(line))) {
    type(`${example} > /dev/null; echo "ended $?."\r`)
    const ended = await until(/ended \d+\.\r\n/)
    expect(ended, example).toContain('ended 0.')
    expect(ended, example).not.toContain('cdn: warning')
  }
  // The shell does not show the profiles of the user.
  type('cdn profiles list\r')
  await until('No profile is saved')
  // The started shell has only the new variables for the platform, without the user's own.
  type('env | grep -c "CANARY\\|CDN_PROFILE"; env | grep -c ^CDN_; echo "counted."\r')
  expect(await until('counted.\r\n')).toContain('0\r\n3\r\ncounted.')
  expect(await until('$ ')).toBe('(cdn try) $ ')
  type('exit\r')
  expect((await end()).code).toBe(0)
})
