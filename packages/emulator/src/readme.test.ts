import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const source = dirname(fileURLToPath(import.meta.url))
const readme = await readFile(join(source, '../README.md'), 'utf8')

interface TestResult {
  readonly file: string
  readonly title: string
  readonly status: 'passed' | 'failed'
  readonly failureMessages: readonly string[]
}

/** Runs each file with vitest, as a user would. */
async function runTests(files: Readonly<Record<string, string>>): Promise<{ tests: TestResult[]; shown: string }> {
  await mkdir(join(source, '../.vitest'), { recursive: true })
  const folder = await mkdtemp(join(source, '../.vitest/readme-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const alias = { '@cdn/emulator/vitest': join(source, 'vitest.ts'), '@cdn/emulator': join(source, 'index.ts') }
  const config = { resolve: { alias }, test: { include: ['*.ts'] } }
  await writeFile(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const cli = join(dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))), 'vitest.mjs')
  const report = join(folder, 'report.json')
  const options = ['--root', folder, '--reporter=json', `--outputFile.json=${report}`]
  // Vitest exits with 1 if a test fails. The report is complete in that case, too.
  await promisify(execFile)(process.execPath, [cli, 'run', ...options]).catch(() => {})
  const shown = await readFile(report, 'utf8')
  const {
    testResults,
  }: { testResults: { name: string; message: string; assertionResults: Omit<TestResult, 'file'>[] }[] } =
    JSON.parse(shown)
  expect(testResults.map(({ message }) => message).join('')).toBe('')
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((each) => ({ ...each, file: name })),
  )
  return { tests, shown }
}

/** A test file that uses the fixture with each option, and then checks that no server is left open. */
const fixtureTests = `
  import { test as base, expect } from 'vitest'
  import { emulatorFixture } from '@cdn/emulator/vitest'
  const open: URL[] = []
  ${['ignore', 'show', 'fail'].flatMap((violations) => [200, 418].map((status) => fixtureTest(violations, status))).join('\n')}
  base('all servers are closed', async () => {
    expect(open.length).toBe(6)
    for (const url of open) await expect(fetch(url)).rejects.toThrow()
  })
  base.extend(emulatorFixture())('another test has its own emulator', ({ emulator }) => {
    expect(emulator.journal.entries).toEqual([])
  })`

function fixtureTest(violations: string, status: number): string {
  return `base.extend(emulatorFixture({ violations: '${violations}' }))('${violations} ${status}', async ({ emulator }) => {
    open.push((await emulator.listen()).loggingUrl)
    const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
    const response = await fetch(new URL('v2/pullzones/2002/logs?offset=100&secret=canary', open.at(-1)), { headers })
    expect(response.status).toBe(${status})
  })`
}

test('the examples of the README run; the fixture shows violations according to its option, and closes its servers', {
  timeout: 300_000,
}, async () => {
  const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  expect(snippets.length).toBeGreaterThanOrEqual(3)
  const examples = snippets.map((code, index) => {
    const isTest = /^import .* from 'vitest'$/m.test(code)
    return [`${index}.ts`, isTest ? code : `${code}\n;(await import('vitest')).test('runs', () => {})\n`] as const
  })
  const { tests, shown } = await runTests({ ...Object.fromEntries(examples), 'fixture.ts': fixtureTests })
  const ofFixture = tests.filter(({ file }) => file.endsWith('/fixture.ts'))
  const ofExamples = tests.filter(({ file }) => !file.endsWith('/fixture.ts'))
  expect(ofExamples.map(({ status, failureMessages }) => [status, ...failureMessages])).toEqual(
    snippets.map(() => ['passed']),
  )
  const named = ofFixture.filter(({ failureMessages }) =>
    /Violations that the emulator found in its caller:\nopen-to: GET \/v2/.test(failureMessages.join('\n')),
  )
  expect(named.map(({ title }) => title)).toEqual(['show 418', 'fail 200', 'fail 418'])
  const passed = ofFixture.map(({ status }) => status === 'passed')
  expect(passed).toEqual([true, false, true, false, false, false, true, true])
  expect(shown).not.toContain('secret=canary')
})
