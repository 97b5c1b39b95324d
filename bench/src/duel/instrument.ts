/**
 * `node bench/src/duel/instrument.ts [--count N]` copies the emulator to `bench/.duel`, with all mutants of Stryker in it, and
 * samples N of them with a fixed seed. The variable `__STRYKER_ACTIVE_MUTANT__` switches one mutant on.
 */
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { emulatorCopy, hashSources, mutatedFiles, root, serversFile, toolsFolder } from './folders.ts'

/** The used part of Stryker's instrumenter. */
interface Mutant {
  readonly id: string
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}
interface Instrumenter {
  instrument(
    files: readonly { name: string; content: string; mutate: true }[],
    options: object,
  ): Promise<{ files: { name: string; content: string }[]; mutants: Mutant[] }>
}

/** A server with one mutant of Stryker: the id of this instrumentation, and a name that survives another one. */
export interface MutantServer {
  readonly name: string
  readonly mutant: string
}

/** The sampled servers, and the hash of the sources that they were made from. */
export interface Servers {
  readonly sources: string
  readonly servers: readonly MutantServer[]
}

const { values } = parseArgs({ options: { count: { type: 'string', default: '300' } } })
const source = join(root, 'packages/emulator')
rmSync(emulatorCopy, { recursive: true, force: true })
for (const part of ['src', 'package.json']) cpSync(join(source, part), join(emulatorCopy, part), { recursive: true })
symlinkSync(join(source, 'node_modules'), join(emulatorCopy, 'node_modules'))

const files = mutatedFiles.map((file) => join(emulatorCopy, 'src', file))
const { files: instrumented, mutants } = await (await createInstrumenter()).instrument(
  files.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
  { plugins: null, ignorers: [], excludedMutations: [] },
)
for (const { name, content } of instrumented) writeFileSync(name, content)

const sample = mutants
  .map(({ id, fileName, mutatorName, replacement, location: { start } }) => ({
    name: `${fileName.slice(emulatorCopy.length + 5)}:${start.line + 1}:${start.column + 1} ${mutatorName} ${replacement.replaceAll(/\s+/g, ' ').slice(0, 80)}`,
    mutant: id,
  }))
  // Parts of one expression that begin at the same place can have equal names. The first one counts.
  .filter(({ name }, index, all) => all.findIndex((each) => each.name === name) === index)
  .sort((a, b) => (order(a.name) < order(b.name) ? -1 : 1))
  .slice(0, Number(values.count))
writeFileSync(serversFile, JSON.stringify({ sources: hashSources(), servers: sample } satisfies Servers, null, 1))
console.log(`${mutants.length} mutants in ${files.length} files, ${sample.length} sampled`)

/** A fixed random order: the first 40 of a sample of 300 are the sample of 40. */
function order(name: string): string {
  return createHash('sha256').update(`duel 1 ${name}`).digest('hex')
}

async function createInstrumenter(): Promise<Instrumenter> {
  const require = createRequire(join(toolsFolder, 'package.json'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const { createInjector } = await load('typed-inject')
  const { createInstrumenter } = await load('@stryker-mutator/instrumenter')
  const names = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
  const silent = names.flatMap((name) => [name, `is${name[0]?.toUpperCase()}${name.slice(1)}Enabled`])
  const logger = Object.fromEntries(silent.map((name) => [name, () => undefined]))
  return createInjector().provideValue('logger', logger).injectFunction(createInstrumenter)
}
