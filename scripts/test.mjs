// `npm test`: lint, types and all tests, through turbo. The last line counts the tests, as `N passed, N failed`.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, pnpm, root } from './install.mjs'

ensureInstalled('all')

/** Where vitest leaves the counts of each package. */
function results() {
  const packages = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  )
  return ['specs', 'tests', ...packages].map((name) => join(root, name, '.vitest/results.json')).filter(existsSync)
}

for (const file of results()) rmSync(file)

const tasks = ['lint', 'lint:code', 'types', 'test']
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' }
const { status } = pnpm(['exec', 'turbo', 'run', ...tasks, '--continue', '--output-logs=new-only', '--concurrency=2'], {
  stdio: 'inherit',
  env,
})

let passed = 0
let failed = 0
for (const file of results()) {
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(file, 'utf8'))
  passed += numPassedTests
  failed += numFailedTests || (numFailedTestSuites > 0 ? 1 : 0)
}
// A task that failed without a failed test (lint, types, a crash) must not end in a line that says all is well.
if (status !== 0 && failed === 0) failed = 1
if (passed === 0 && failed === 0) failed = 1
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
