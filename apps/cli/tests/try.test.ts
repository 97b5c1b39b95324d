import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from './support/cli.ts'
import { createHome, runShell } from './support/program.ts'

test('a shell that cannot be started is reported in one sentence', async () => {
  const { code, out, err } = await runCli(['try'], { env: { SHELL: '/nonexistent/sh' } })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/\ncdn: The shell \/nonexistent\/sh cannot be started: ENOENT\n$/)
})

test('the commands of the shell use the emulator, warn of nothing, and leave the profiles of the user alone', async () => {
  const home = await createHome({ SHELL: '/bin/sh', CDN_ACCESS_KEY: 'CANARY', CDN_PROFILE: 'none' })
  const config = join(home.folder, '.config/cdn')
  await mkdir(config, { recursive: true })
  const saved = { default: { CDN_ACCESS_KEY: 'CANARY', CDN_LOGGING_URL: 'http://127.0.0.1:9' } }
  await writeFile(join(config, 'profiles.json'), JSON.stringify(saved))
  await chmod(join(config, 'profiles.json'), 0o600)
  const lines = [
    'cdn pull-zone list -q "length(@)" -o json',
    'cdn logs query 2002 --since 1h -o ndjson -q "length(@)"',
    'cdn profiles list; env | grep -c "CANARY\\|CDN_PROFILE"; echo "$PS1"',
  ]
  const { code, out, err } = await runShell(`printf '%s\\n' '${lines.join("' '")}' | cdn try`, home)
  expect(code).toBe(0)
  expect(out).toMatch(/^\d+\n\d+\n0\n\(cdn try\) \$ \n$/)
  expect(err).not.toContain('cdn: ')
})
