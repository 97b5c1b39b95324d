import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toManualPage, writeManualPage } from '../scripts/man.ts'
import { allCommands } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'

const page = await toManualPage()

test('every command has a section with its help', async () => {
  const sections = page.split(/^\.SH /m)
  for await (const { path, entry } of allCommands(root)) {
    if (entry.kind === 'group') continue
    const name = ['cdn', ...path].join(' ').replaceAll('-', '\\-')
    expect(sections.find((text) => text.startsWith(`${name}\n`))).toContain(`Usage: ${name} [`)
  }
})

test('the page has known macros, known escapes and printable ASCII only', () => {
  for (const line of page.trimEnd().split('\n')) {
    expect(line).toMatch(/^(\.(TH|SH) .*|\.(nf|fi)|[^.'].*|)$/)
    expect(line).toMatch(/^([\x20-\x5b\x5d-\x7e]|\\(e|-|&|\[u[\dA-F]{4,6}\]))*$/)
  }
})

const viewers = [
  ['mandoc', '-Wwarning', '-Tutf8'],
  ['man', '--warnings', '-P', 'cat', '-l'],
] as const
const viewer = viewers.find(([program, ...args]) => spawnSync(program, [...args, '/dev/null']).error === undefined)

test.skipIf(!viewer)(
  `a viewer shows it without a warning${viewer ? '' : ' (skipped: neither mandoc nor man)'}`,
  async () => {
    const [program, ...args] = viewer ?? viewers[0]
    const folder = mkdtempSync(join(tmpdir(), 'cdn-man-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await writeManualPage(join(folder, 'cdn.1'))
    const env = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '120' }
    const { status, stdout, stderr } = spawnSync(program, [...args, join(folder, 'cdn.1')], { encoding: 'utf8', env })
    expect([status, stderr]).toEqual([0, ''])
    // Bold on paper is a letter, a backspace, and the letter again.
    const text = stdout.replaceAll(/.[\b]/g, '')
    for (const part of [
      /^ +cdn - Manage CDN resources and read access logs$/m,
      /^ +Usage: cdn logs query \[options\] <zone>$/m,
      /^ +-n, --limit <n> +Maximum number of rows \(default: 100\)$/m,
      /^ +cdn logs query 2002 --since 1d --cache-status MISS --query '\[\]\.remoteIp'$/m,
      /^ +--profile <name> +Profile to use/m,
    ]) {
      expect(text).toMatch(part)
    }
  },
)
