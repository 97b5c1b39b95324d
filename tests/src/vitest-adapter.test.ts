/** Checks run as tests, with the oldest and the newest supported vitest: they pass, and write reports and a line of history. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { runIn } from './run-in-copy.ts'

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))
const deployment = JSON.stringify({ target: 'emulator', only: ['management.authentication.missing'] })
const program = `import { afterAll, test } from 'vitest'
import { registerChecks } from '@cdn/conformance/vitest'
await registerChecks({ test, afterAll }, ${deployment})`

test.each(['vitest3', 'vitest'])('checks run as tests of %s', async (installed) => {
  const folder = temporaryFolder(onTestFinished)
  await mkdir(join(folder, 'node_modules/@cdn'), { recursive: true })
  for (const [name, target] of [
    ['@cdn/conformance', '@cdn/conformance'],
    ['vitest', installed],
  ] as const)
    await symlink(join(modules, target), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'checks.test.mjs'), program)
  const { code, output } = runIn(folder, '.', ['node_modules/vitest/vitest.mjs', 'run'])
  expect(code, output).toBe(0)
  expect(output).toMatch(/Tests +[1-9]\d* passed/)
  expect(await readdir(join(folder, 'reports/vitest'))).toContain('junit.xml')
  expect(JSON.parse(await readFile(join(folder, 'reports/vitest.jsonl'), 'utf8'))).toMatchObject({
    kind: 'run',
    run: { status: 'complete', exitCode: 0, target: 'emulator' },
  })
})
