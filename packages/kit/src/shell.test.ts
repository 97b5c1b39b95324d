import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { curlWords, shellQuote } from './shell.ts'
import { anyText } from './testing/any-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'shell-'))
// Some shells write settings into the home of their user.
const home = mkdtempSync(join(tmpdir(), 'home-'))
afterAll(() => {
  for (const each of [folder, home]) rmSync(each, { recursive: true })
})
// A fake curl that prints its arguments.
writeFileSync(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`, { mode: 0o755 })

function argumentsOf(shell: string, line: string): string[] {
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: home, LC_ALL: 'C.UTF-8', CDN_ACCESS_KEY: 'key' }
  return execFileSync(shell, ['-c', line], { cwd: folder, encoding: 'utf8', env }).split('\0').slice(0, -1)
}

const text = fc
  .oneof(anyText, fc.string({ unit: fc.constantFrom("'", '"', '\\', '`', '$', '(', '\n', 'a') }))
  .map((part) => part.replaceAll('\0', '').toWellFormed())
const shells = ['dash', 'bash', 'zsh', 'fish']

describe.each(shells)('in %s', (shell) => {
  const isMissing = spawnSync(shell, ['-c', '']).error !== undefined

  test('each word is one argument with the same text', ({ skip }) => {
    skip(isMissing, `this system has no ${shell}`)
    fc.assert(
      // One shell for many words keeps the test fast.
      fc.property(fc.array(text, { minLength: 40, maxLength: 40 }), (words) => {
        expect(argumentsOf(shell, `curl ${words.map(shellQuote).join(' ')}`)).toEqual(words)
      }),
      {
        numRuns: 5,
        examples: [
          [["it's", "'\u0001'; touch broken; '", '$(touch broken)', '=ls', '~', '-x', '', '\r\u001b[31m\u202e\u009b']],
        ],
      },
    )
    expect(readdirSync(folder)).toEqual(['curl'])
  })

  test('a line with hostile names and values only calls curl', ({ skip }) => {
    skip(isMissing, `this system has no ${shell}`)
    const name = 'X-`touch$IFS$9broken`$(touch broken)'
    const headers = [
      [name, 'secret'],
      ['X-Value', "\u0001'; touch broken; '`touch broken`$(touch broken)"],
    ] as const
    const credentials = new Map([[name.toLowerCase(), '$CDN_ACCESS_KEY']])
    const words = curlWords({ method: 'GET', url: "http://a.invalid/'$(touch broken)", headers }, credentials)
    expect(argumentsOf(shell, words.join(' '))).toEqual([
      "http://a.invalid/'$(touch broken)",
      ...['--header', `${name}: key`, '--header', `X-Value: ${headers[1][1]}`],
    ])
    expect(existsSync(join(folder, 'broken'))).toBe(false)
  })
})

test('a printed word has no character that a terminal would interpret', () => {
  expect(shellQuote('a\u001b[31m\u202e\u009b')).toBe(
    `'a'"$(printf '\\033')"'[31m'"$(printf '\\342\\200\\256\\302\\233')"`,
  )
})
