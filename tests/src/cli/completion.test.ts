/** The completion scripts work. They are sourced in shells on a pseudo-terminal, or called through the shell's own interface. */
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTerminal, type Terminal, useProgram } from './terminal.ts'

useProgram()

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0
const isMissing = (shell: string, isThere: boolean) => (isThere ? '' : ` (skipped: ${shell} is not installed)`)

/** Typed lines and their completions: commands, an option, values, a profile, a file, a zone. */
const lines = [
  ['cdn comple\t', 'cdn completion '],
  ['cdn pull-zone add\t', 'cdn pull-zone add-allowed-referrer '],
  ['cdn logs query 2002 --since 1h --inc\t', '--include-origin-shield '],
  ['cdn logs query 2002 --output nd\t', '--output ndjson '],
  ['cdn logs query 2002 --cache-status HIT,REV\t', '--cache-status HIT,REVALIDATED'],
  ['cdn api GET /pullzone/2001/add\t', 'cdn api GET /pullzone/2001/addAllowedReferrer'],
  ['cdn logs query 2002 --profile stag\t', '--profile staging '],
  ['cdn logs download 2002 --file profiles.\t', '--file profiles.txt '],
  ['cdn logs stats zone-20\t', 'cdn logs stats zone-2002 '],
  ['cdn --profile stag\t', 'cdn --profile staging '],
  ['cdn logs query 2002 --output=t\t', '--output=table '],
  ['cdn -o csv pull-zone li\t', 'cdn -o csv pull-zone list '],
  ['cdn logs download 2002 yest\t', 'cdn logs download 2002 yesterday '],
] as const

/** Opens a terminal with a profile, with the name of a zone in the cache, and with a file. */
async function openPrepared() {
  const terminal = await openTerminal({ columns: 200 })
  writeFileSync(join(terminal.home, 'profiles.txt'), '')
  const login =
    'echo k | cdn auth login --no-check --profile staging --management-url "$CDN_MANAGEMENT_URL" --logging-url "$CDN_LOGGING_URL"'
  expect((await terminal.run(`${login} && cdn logs query zone-2002 --limit 1`)).code).toBe(0)
  return terminal
}

/** Types the lines in a shell that has sourced the script. `seen` is the part of a completed line that the shell shows in one style. */
async function typeLines({ end, home, type, until }: Terminal, seen: (completed: string) => string) {
  for (const [typed, completed] of lines) {
    type(typed)
    await until(seen(completed))
    // Ctrl-U, because the terminal drops text that is typed right after Ctrl-C.
    type('\u0015')
  }
  // The completion never evaluates the typed line.
  type('cdn pull-zone get $(touch INJECTED) --ti\t')
  await until(seen('--timeout '))
  type('\u0015exit\r')
  await end()
  expect(readdirSync(home)).not.toContain('INJECTED')
}

test('bash completes', async () => {
  const terminal = await openPrepared()
  const { start, type, until } = terminal
  // Readline shows a line only on a terminal with echo.
  await start('stty echo; PS1="> " bash --norc --noprofile')
  await until('> ')
  type('source <(cdn completion bash); echo "ready."\r')
  await until('ready.\r\n')
  await typeLines(terminal, (completed) => completed)
})

const hasZsh = has('zsh')
test.skipIf(!hasZsh)(`zsh completes${isMissing('zsh', hasZsh)}`, async () => {
  const terminal = await openPrepared()
  const { start, type, until } = terminal
  await start('PS1="> " zsh -f -i')
  await until('> ')
  type('autoload -U compinit; compinit -u; source <(cdn completion zsh); echo "ready."\r')
  await until('ready.\r\n')
  // Zsh prints the final space in a different style.
  await typeLines(terminal, (completed) => completed.trim())
})

const hasFish = has('fish')
test.skipIf(!hasFish)(`fish completes${isMissing('fish', hasFish)}`, async () => {
  const { home, run } = await openPrepared()
  for (const [typed, completed] of [
    ['cdn comple', /^completion\t/m],
    ['cdn pull-zone add', /^add-allowed-referrer\t/m],
    ['cdn logs query 2002 --since 1h --inc', /^--include-origin-shield\t/m],
    ['cdn logs query 2002 --output nd', /^ndjson/m],
    ['cdn logs stats zone-', /^zone-2002\t2002/m],
    ['cdn logs query 2002 --output=t', /^--output=table/m],
    ['cdn --profile st', /^staging/m],
    ['cdn logs download 2002 --file profiles.', /^profiles\.txt/m],
    ['cdn pull-zone get \\$(touch INJECTED) --ti', /^--timeout\t/m],
  ] as const) {
    const { code, text } = await run(`fish --no-config -c "cdn completion fish | source; complete -C '${typed}'"`)
    expect([code, text]).toEqual([0, expect.stringMatching(completed)])
  }
  expect(readdirSync(home)).not.toContain('INJECTED')
})

const hasPowerShell = spawnSync('sh', ['-c', 'command -v pwsh']).status === 0
test.skipIf(!hasPowerShell)(
  `PowerShell completes commands, options and values${isMissing('pwsh', hasPowerShell)}`,
  async () => {
    const { run } = await openPrepared()
    for (const [typed, completed] of [
      ['cdn comple', 'completion'],
      ['cdn pull-zone add', 'add-allowed-referrer'],
      ['cdn logs query 2002 --output nd', 'ndjson'],
      ['cdn logs stats zone-', 'zone-2002'],
    ] as const) {
      const ask = `(TabExpansion2 '${typed}' ${typed.length}).CompletionMatches.CompletionText`
      const line = `pwsh -NoProfile -Command "cdn completion powershell | Out-String | Invoke-Expression; ${ask}"`
      expect((await run(line)).text).toContain(completed)
    }
  },
)
