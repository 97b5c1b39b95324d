// `npm test`: runs lint, types and all tests with turbo. The last line is `N passed, N failed`.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './install.mjs'
import { runTasks } from './turbo.mjs'

function results() {
  const packages = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  )
  return ['specs', 'tests', ...packages].map((name) => join(root, name, '.vitest/results.json')).filter(existsSync)
}

function printFailures(testResults) {
  for (const { name, message, status, assertionResults } of testResults) {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    for (const test of tests)
      console.log(`\nFAILED ${relative(root, name)}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
    if (status === 'failed' && tests.length === 0) console.log(`\nFAILED ${relative(root, name)}\n${message}`)
  }
}

for (const file of results()) rmSync(file)

const tasks = ['lint', 'lint:code', 'types', 'test']
// The cache of compiled code saves time: the tests start hundreds of processes, which would all compile the same files.
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compile')
// The tests are made for two cores. Three tasks at once use these better, because many tests wait.
const options = ['--continue', '--output-logs=new-only', '--concurrency=3']
const exitCode = runTasks([...tasks, ...options], { NODE_COMPILE_CACHE, NO_COLOR: '1' })

let passed = 0
let failed = 0
for (const file of results()) {
  const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(readFileSync(file, 'utf8'))
  passed += numPassedTests
  failed += numFailedTests || (numFailedTestSuites > 0 ? 1 : 0)
  printFailures(testResults)
}
// A task can fail without a failed test (lint, types, a crash). The last line must not report success then.
if (exitCode !== 0 && failed === 0) failed = 1
if (passed === 0 && failed === 0) failed = 1
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
