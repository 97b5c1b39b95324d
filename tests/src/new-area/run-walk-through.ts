/**
 * `pnpm walk-through [--tests]`: performs all steps of docs/extending.md, and of the nested area in dns-zone.md, each in a copy of the
 * repository. Then it runs lint, types, the tests of the contract, the mutants of the area, and a live run of the area against an
 * emulator. `--tests` adds all tests of the packages.
 */
import { join } from 'node:path'
import { runPage } from '../docs/run-page.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { evaluate, type Ran, runIn } from '../run-in.ts'

/** This file, as the pages name it. */
const own = 'tests/src/new-area/run-walk-through.ts'
const areas = { Certificates: 'docs/extending.md', 'DNS Zone': 'tests/src/new-area/dns-zone.md' }
const packages = ['specs', ...['kit', 'api', 'emulator', 'conformance'].map((name) => `packages/${name}`)]
const all = [...packages, 'apps/cli', 'apps/logs-exporter']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=180000', '--hookTimeout=180000']

/** Runs the mutants of the operations of an area; prints their number and the survivors. */
const mutants = (area: string) => `
  import { operations } from '@cdn/api/contract'
  import { applicableMutants } from './mutants/all.ts'
  import { runMatrix, survivorsOf } from './mutants/matrix.ts'
  const names = operations.filter((operation) => operation.area === ${JSON.stringify(area)}).map(({ name }) => name)
  const chosen = applicableMutants.filter((mutant) => mutant.operations?.some((name) => names.includes(name)))
  const survivors = survivorsOf(await runMatrix(chosen)).map(({ id }) => id)
  console.log(JSON.stringify({ count: chosen.length, survivors }))`

const faults: string[] = []

/** Performs a step and prints its result and its time. A step that returns text, or throws, has failed. */
async function step(name: string, work: () => string | Promise<string>): Promise<void> {
  const started = performance.now()
  const fault = await Promise.resolve().then(work).catch(String)
  console.log(
    `${fault === '' ? 'ok  ' : 'FAIL'} ${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${name}`,
  )
  if (fault !== '') faults.push(`${name}:\n${fault.slice(-5000)}`)
}

const faultOf = ({ code, output }: Pick<Ran, 'code' | 'output'>) => (code === 0 ? '' : output)

async function walk(area: string, page: string, sandbox: Sandbox): Promise<void> {
  const run = (where: string, ...args: string[]) => faultOf(runIn(sandbox.folder, where, args))
  await step(`${area}: the page`, async () => (await runPage(page, sandbox, own)).join('\n'))
  await step(`${area}: lint`, () => run('specs', 'tools/scripts/lint.ts'))
  for (const where of all)
    await step(`${area}: types of ${where}`, () => run(where, join(sandbox.folder, 'node_modules/typescript/bin/tsc')))
  await step(`${area}: tests of the contract`, () => run('specs', ...vitest))
  await step(`${area}: mutants`, () => {
    const { count, survivors } = evaluate<{ count: number; survivors: string[] }>(
      sandbox.folder,
      'packages/conformance/tests',
      mutants(area),
    )
    console.log(`     ${count} mutants, ${survivors.length} survive`)
    return count === 0 ? 'there are no mutants' : survivors.join('\n')
  })
  await step(`${area}: live run`, async () => {
    const names = evaluate<string[]>(
      sandbox.folder,
      'tests',
      `import { operations } from '@cdn/api/contract'
      const names = operations.filter(({ area }) => area === ${JSON.stringify(area)}).map(({ name }) => name)
      const { checks } = (await import('@cdn/conformance')).createPlan()
      const ids = checks.map(({ id }) => id).filter((id) => id.split(/[./]/).some((part) => names.includes(part)))
      console.log(JSON.stringify(ids))`,
    )
    const options = `--target live --allow write,destructive,burst --only '${names.join(',')}'`
    // The run deletes what it creates, whatever the platform accepts.
    return faultOf(
      await sandbox.run(`
        state() {
          curl -fsS "\${CDN_MANAGEMENT_URL}_emulator/state" | node -pe '
            const { resources } = JSON.parse(fs.readFileSync(0))
            JSON.stringify(Object.entries(resources).filter(([, items]) => items.length > 0))'
        }
        before=$(state)
        pnpm -s conformance run ${options}
        [ "$before" = "$(state)" ] || { echo "The run left a changed state:"; state; exit 1; }`),
    )
  })
  if (process.argv.includes('--tests'))
    for (const where of all) await step(`${area}: tests of ${where}`, () => run(where, ...vitest))
}

for (const [area, page] of Object.entries(areas)) {
  const sandbox = createSandbox()
  try {
    await walk(area, page, sandbox)
  } finally {
    sandbox.close()
  }
}
console.log(faults.length === 0 ? 'Everything is green.' : faults.join('\n\n'))
process.exitCode = faults.length === 0 ? 0 : 1
