import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellQuote } from './shell.ts'
import { anyText } from './testing/any-text.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const folder = temporaryFolder()
// Some shells write settings into the home of their user.
const home = temporaryFolder()
// A fake curl that prints its arguments.
writeFileSync(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`, { mode: 0o755 })

function argumentsOf(shell: string, line: string): string[] {
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: home, LC_ALL: 'C.UTF-8' }
  return execFileSync(shell, ['-c', line], { cwd: folder, encoding: 'utf8', env }).split('\0').slice(0, -1)
}

const text = fc
  .oneof(anyText, fc.string({ unit: fc.constantFrom("'", '"', '\\', '`', '$', '(', '\n', 'a') }))
  .map((part) => part.replaceAll('\0', '').toWellFormed())
const shells = ['dash', 'bash', 'zsh', 'fish']

test.for(shells)('in %s, each word is one argument with the same text', (shell, { skip }) => {
  skip(spawnSync(shell, ['-c', '']).error !== undefined, `this system has no ${shell}`)
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

test('a printed word has no character that a terminal would interpret', () => {
  expect(shellQuote('a\u001b[31m\u202e\u009b')).toBe(
    `'a'"$(printf '\\033')"'[31m'"$(printf '\\342\\200\\256\\302\\233')"`,
  )
})
