/**
 * Applies each mistake of `tests/support/mutant-list.ts` to a copy of the source, and checks that the mistake's test
 * fails. Without a mistake, the test must pass. `node tests/campaigns/mutants.ts [ID...]` exits 1 if a mutant survives.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exporterMutants } from '../support/mutant-list.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const exporter = 'apps/logs-exporter'
const api = 'packages/api'
const ids = process.argv.slice(2)
const chosen = exporterMutants.filter(({ id }) => ids.length === 0 || ids.includes(id))
const copy = await mkdtemp(join(tmpdir(), 'exporter-mutants-'))
try {
  await copySources()
  const tests = [...new Set(chosen.map(({ test }) => test))]
  for (const test of tests) {
    const { failed, passed } = await run(test)
    if (failed > 0 || passed === 0)
      throw new Error(`${test} must pass without a mutant: ${failed} failed, ${passed} passed`)
  }
  let survivors = 0
  for (const { id, text, edits, test } of chosen) {
    const before = new Map<string, string>()
    for (const { file, find, replace } of edits) {
      const path = join(copy, file)
      const source = await readFile(path, 'utf8')
      if (!before.has(path)) before.set(path, source)
      if (source.split(find).length !== 2)
        throw new Error(`mutant ${id}: the text to replace must occur once in ${file}`)
      await writeFile(
        path,
        source.replace(find, () => replace),
      )
    }
    const { failed, passed } = await run(test)
    for (const [path, source] of before) await writeFile(path, source)
    if (failed === 0) survivors++
    console.log(`${failed > 0 ? 'killed  ' : 'SURVIVED'} ${id}: ${text} (${test}: ${failed} failed, ${passed} passed)`)
  }
  console.log(`${chosen.length} mutants, ${survivors} survived`)
  process.exitCode = survivors === 0 ? 0 : 1
} finally {
  await rm(copy, { recursive: true, force: true })
}

async function copySources(): Promise<void> {
  const filter = (path: string) => !/\/(node_modules|\.vitest)(\/|$)/.test(path)
  for (const part of [exporter, api]) await cp(join(root, part), join(copy, part), { recursive: true, filter })
  await cp(join(root, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'))
  await symlink(join(root, api, 'node_modules'), join(copy, api, 'node_modules'))
  const [from, to] = [join(root, exporter, 'node_modules'), join(copy, exporter, 'node_modules')]
  await mkdir(join(to, '@cdn'), { recursive: true })
  for (const name of await readdir(from)) if (name !== '@cdn') await symlink(join(from, name), join(to, name))
  for (const name of await readdir(join(from, '@cdn')))
    await symlink(name === 'api' ? join(copy, api) : join(from, '@cdn', name), join(to, '@cdn', name))
}

/** Runs a test file in the copy, up to the first failure: a mutant may make every test wait until its time-out. @throws if the tests cannot run */
async function run(test: string): Promise<{ readonly failed: number; readonly passed: number }> {
  const vitest = join(copy, exporter, 'node_modules/vitest/vitest.mjs')
  const output = join(copy, 'results.json')
  await rm(output, { force: true })
  const args = [vitest, 'run', '--bail=1', '--testTimeout=180000', '--reporter=json', `--outputFile=${output}`, test]
  await promisify(execFile)(process.execPath, args, { cwd: join(copy, exporter), timeout: 600_000 }).catch(() => {})
  const { numFailedTests: failed, numPassedTests: passed } = JSON.parse(await readFile(output, 'utf8'))
  if (failed + passed === 0) throw new Error(`${test} did not run`)
  return { failed, passed }
}
