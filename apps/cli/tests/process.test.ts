import { describe, expect, test } from 'vitest'
import { createHome, createShell, runShell } from './support/program.ts'

/** Tests the shipped program with pipes and signals. */

/** Prints the exit code of the first command of a pipe. A POSIX shell returns only the code of the last one. */
const first = (command: string, reader: string) => `{ ${command}; echo "code $?" >&2; } | ${reader}`

describe('a reader that stops early', () => {
  test.each([
    'cdn api $(date -u +%m-%d-%y)/2002.log',
    'cdn api v2/pullzones/2002/logs?limit=400',
    'cdn logs query --help',
  ])('%s | head -1', async (command) => {
    const { home, emulator } = await createShell()
    emulator.state.addTraffic({ zones: ['2002'], rowsPerSecond: 10 })
    const { out, err } = await runShell(first(command, 'head -1'), home)
    expect(err).toBe('code 0\n')
    expect(out.split('\n')).toHaveLength(2)
  })

  test('and does not read standard error', async () => {
    const { home } = await createShell()
    const command = '{ cdn pull-zone get 2001 --verbose; echo "code $?" >code.txt; } 2>&1 >data.json | true'
    const { out } = await runShell(`${command}; cat code.txt data.json`, home)
    expect(out).toMatch(/^code 0\n\{/)
  })
})

test.each(['logs query --help', '--version', 'completion bash', 'pull-zone list'])(
  'a full disk is an error, not silence: cdn %s',
  async (line) => {
    const { home } = await createShell()
    const { code, err } = await runShell(`cdn ${line} > /dev/full`, home)
    expect([code, err]).toEqual([1, 'cdn: The output cannot be written: ENOSPC\n'])
  },
)

test('a signal ends a pending request: 130, without a message', async () => {
  const { home, emulator } = await createShell()
  emulator.faults.add('time-out')
  const { code, out, err } = await runShell('exec cdn pull-zone get 2001 --verbose', home, (child, text) => {
    if (text.startsWith('> GET')) child.kill('SIGINT')
  })
  expect([code, out]).toEqual([130, ''])
  expect(err).toMatch(/^> GET \S+\n< no response after \d+ ms\n$/)
})

test('the shipped program finds the parts that are not bundled', async () => {
  const home = await createHome({ CDN_ACCESS_KEY: 'k' })
  const { code, out } = await runShell('cdn auth status --query kind && cdn completion zsh', home)
  expect([code, out]).toEqual([0, expect.stringMatching(/^API key\n#compdef cdn/)])
})
