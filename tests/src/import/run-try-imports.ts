/**
 * `pnpm try-imports [--public] FILE...`: imports contracts into a copy of the repository, each separately and then all together. Each
 * time it verifies lint, types, tests, the mock, and the targets of requests. A folder stands for all its files, a name for a contract
 * of public-contracts.json, and `--public` for all of them: contracts of other companies that packages of npm contain.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve } from 'node:path'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { runIn } from '../run-in.ts'
import publicContracts from './public-contracts.json' with { type: 'json' }

/** Minimum share of the statements of a contract that must hold for the mock. */
const minShare = 0.97

const biome = 'node_modules/@biomejs/biome/bin/biome'
const tsc = 'node_modules/typescript/bin/tsc'
const packages = ['specs', 'packages/kit', 'packages/api', 'packages/emulator', 'packages/conformance', 'apps/cli']
const allPackages = [...packages, 'apps/logs-exporter']
/** The packages whose types depend on the contract. `closeTests`: the tests of the contract and of generated files. */
const closeTypes = ['packages/api', 'packages/conformance', 'apps/cli']
const closeTests: Readonly<Record<string, readonly string[]>> = {
  specs: ['tools/document', 'tools/overlay', 'tools/scripts/new-area'],
  'packages/api': ['scripts', 'src/contract', 'src/types'],
  'packages/conformance': ['src/run/plan', 'src/checks', 'src/report', 'tests/mutants/mutants'],
  'apps/cli': ['tests/completion', 'tests/help', 'tests/imported', 'tests/operations', 'tests/requests'],
}

interface Contract {
  readonly file: string
  readonly name: string
  readonly server?: string | undefined
}

const scratch = mkdtempSync(join(tmpdir(), 'public-contracts-'))

/** Unpacks one file of a package, without its dependencies and without running its scripts. */
function download({ name, package: id, file, server }: (typeof publicContracts)[number]): Contract {
  const folder = join(scratch, id.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  const pack = () => execFileSync('npm', ['pack', id, '--ignore-scripts', '--silent', '--pack-destination', folder])
  if (!readdirSync(folder).some((one) => one.endsWith('.tgz'))) pack()
  const tarball = String(readdirSync(folder).find((one) => one.endsWith('.tgz')))
  execFileSync('tar', ['xzf', join(folder, tarball), '-C', folder, `package/${file}`])
  return { name, file: join(folder, 'package', file), server }
}

function contractsIn(argument: string): Contract[] {
  const named = publicContracts.filter(({ name }) => argument === '--public' || argument === name)
  if (named.length > 0) return named.map(download)
  const path = resolve(argument)
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
  return files
    .filter((file) => /\.(json|ya?ml)$/.test(file))
    .map((file) => ({ file, name: nameOf(basename(file, extname(file))) }))
}

/** Converts a file name to an interface name: `stream-1.5.0` becomes `stream-1-5-0`. */
function nameOf(text: string): string {
  const words = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return words.slice(0, 30).replaceAll(/^[^a-z]+|-+$/g, '')
}

let failures = 0

/** Performs one step and prints its result. `perform` returns the error, or an empty text. */
function step(name: string, perform: () => string): void {
  const begun = Date.now()
  const fault = perform()
  if (fault !== '') failures++
  console.log(`  ${fault === '' ? 'ok  ' : 'FAIL'} ${name}, ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  if (fault !== '') console.log(fault.trimEnd().split('\n').slice(-80).join('\n'))
}

/** Imports contracts and verifies what an import could break. With `whole`, it verifies everything. */
function tryContracts(sandbox: Sandbox, contracts: readonly Contract[], whole: boolean): void {
  console.log(`\n${contracts.map(({ name }) => name).join(', ')}`)
  const run = (where: string, args: readonly string[]) => {
    const { code, output } = runIn(sandbox.folder, where, args)
    return code === 0 ? '' : output
  }
  for (const { file, name, server } of contracts) {
    const script = 'specs/tools/scripts/import-contract.ts'
    const options = server === undefined ? [] : ['--server', server]
    step(`import ${name}`, () => run('.', [script, file, '--as', name, ...options]))
  }
  step('lint', () => run('specs', ['tools/scripts/lint.ts']) + run('.', [biome, 'check', '.']))
  for (const where of whole ? [...allPackages, 'tests', 'bench'] : closeTypes)
    step(`types of ${where}`, () => run(where, [join(sandbox.folder, tsc)]))
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=120000', '--hookTimeout=120000']
  const tests = whole ? Object.fromEntries(allPackages.map((where) => [where, []])) : closeTests
  for (const [where, files] of Object.entries(tests)) step(`tests of ${where}`, () => run(where, [...vitest, ...files]))
  step('the mock', () => checkMock(sandbox, contracts))
  step('targets of requests', () => {
    const { code, stdout, output } = runIn(sandbox.folder, 'tests', ['src/import/send-everything.ts'])
    if (code !== 0) return output
    const { operations, faults }: { operations: number; faults: readonly string[] } = JSON.parse(stdout)
    console.log(`       ${operations} operations: ${faults.length} requests go to a wrong address`)
    return faults.join('\n')
  })
  step('hosts of cdn api', () => {
    const { code, stdout, output } = runIn(sandbox.folder, 'tests', ['src/import/api-hosts.ts'])
    if (code !== 0) return output
    const { tried, unclear, faults }: { tried: number; unclear: number; faults: readonly string[] } = JSON.parse(stdout)
    console.log(`       ${tried} paths, ${unclear} of them need other values: ${faults.length} go to a wrong host`)
    return faults.join('\n')
  })
}

interface Check {
  readonly id: string
  readonly outcome: string
  readonly message?: string
}

/** Runs the suite against the mock. Prints statements that do not hold, one line each. */
function checkMock(sandbox: Sandbox, contracts: readonly Contract[]): string {
  const out = 'dist/try-imports'
  const names = ['management', 'logging', ...contracts.map(({ name }) => name)].flatMap((name) => ['--interface', name])
  const args = ['packages/conformance/src/bin.ts', 'run', '--target', 'mock', ...names, '--out', out]
  const { code, output } = runIn(sandbox.folder, '.', args)
  if (code !== 0 && code !== 1) return output
  const { checks }: { checks: readonly Check[] } = JSON.parse(sandbox.read(`${out}/report.json`))
  const faults = contracts.map(({ name }) => {
    const results = checks.filter(({ id }) => id.startsWith(`mock.${name}.`))
    const undecided = results.filter(({ outcome }) => outcome === 'skip')
    const decided = results.filter(({ outcome }) => outcome !== 'skip')
    const others = decided.filter(({ outcome }) => outcome !== 'pass')
    const share = (decided.length - others.length) / decided.length
    console.log(`       ${name}: ${decided.length - others.length} of ${decided.length} statements hold`)
    for (const { id, outcome, message } of others) console.log(`         ${outcome} ${id}: ${message}`)
    for (const [reason, all] of Map.groupBy(undecided, ({ message }) => message))
      console.log(`         undecided ${all.length}: ${reason}`)
    return share >= minShare ? '' : `${name}: ${(share * 100).toFixed(1)} % of the statements hold`
  })
  const ours = checks.filter(({ id }) => !contracts.some(({ name }) => id.startsWith(`mock.${name}.`)))
  const broken = ours.filter(({ outcome }) => outcome !== 'pass').map(({ id, message }) => `${id}: ${message}`)
  return [...faults.filter(Boolean), ...broken].join('\n')
}

const contracts = process.argv.slice(2).flatMap(contractsIn)
if (contracts.length === 0) {
  console.error('Expected contracts: pnpm try-imports [--public] FILE|FOLDER|NAME...')
  process.exit(2)
}
const sandbox = createSandbox()
try {
  for (const contract of contracts) {
    tryContracts(sandbox, [contract], false)
    await sandbox.run('git add -A && git reset -q --hard')
  }
  if (contracts.length > 1) tryContracts(sandbox, contracts, true)
} finally {
  sandbox.close()
  rmSync(scratch, { recursive: true })
}
console.log(failures === 0 ? '\nEverything passed.' : `\n${failures} steps failed.`)
process.exitCode = failures === 0 ? 0 : 1
