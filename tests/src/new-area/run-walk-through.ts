/**
 * `pnpm walk-through [AREA]`: performs all steps of docs/extending.md in a copy of the repository, and then runs lint, types and
 * all tests of the packages in the copy. The page adds an area "Certificates". AREA replaces this name.
 */
import { join } from 'node:path'
import { runPage } from '../docs/run-page.ts'
import { createSandbox } from '../docs/sandbox.ts'
import { runIn } from '../run-in.ts'

const page = 'docs/extending.md'
const packages = ['specs', ...['kit', 'api', 'emulator', 'conformance'].map((name) => `packages/${name}`)]
const all = [...packages, 'apps/cli', 'apps/logs-exporter']

/** Changes the page to another area. Names of files, operations and constants that contain the area change with it. */
function withArea(text: string, area: string): string {
  const kebab = area.toLowerCase().replaceAll(' ', '-')
  const camel = kebab.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return text
    .replaceAll('certificatesFacts', `${camel}Facts`)
    .replaceAll(/\bcertificates\b/g, kebab)
    .replaceAll(/\bCertificates\b/g, area)
}

const sandbox = createSandbox()
const faults: string[] = []
try {
  sandbox.write(page, withArea(sandbox.read(page), process.argv[2] ?? 'Certificates'))
  faults.push(...(await runPage(page, sandbox, true)))
  const run = (where: string, args: readonly string[]) => {
    const { code, output } = runIn(sandbox.folder, where, args)
    const name = `${args.slice(0, 2).join(' ')} in ${where}`
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`)
    if (code !== 0) faults.push(`${name}:\n${output.slice(-5000)}`)
  }
  run('specs', ['tools/scripts/lint.ts'])
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=120000', '--hookTimeout=120000']
  for (const where of all) run(where, [join(sandbox.folder, 'node_modules/typescript/bin/tsc')])
  for (const where of all) run(where, vitest)
} finally {
  sandbox.close()
}
console.log(faults.length === 0 ? 'Everything is green.' : faults.join('\n\n'))
process.exitCode = faults.length === 0 ? 0 : 1
