import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { interfaces, specsFolder } from '../bundle.ts'
import { createScratch, redocly, toolEnvironment } from '../redocly.ts'

const run = promisify(execFile)
const root = join(specsFolder, '..')
const gen = join(root, 'packages/api/src/gen')

/** Generated files that depend on the contract, by package. */
const followers = [
  ['packages/api', 'scripts/sizes.ts'],
  ['apps/cli', 'scripts/docs.ts'],
] as const

/**
 * Changes the files of one interface and all files that are generated from them. First it bundles, lints, generates and
 * type-checks everything in a scratch folder. If that fails, nothing is changed.
 *
 * @param name the interface
 * @param files the new text of each file, by its path in the folder of the specs; undefined removes the file
 * @throws RangeError with a clause about the first finding, if the result is invalid
 */
export async function commit(name: string, files: Files): Promise<void> {
  await using scratch = await createScratch()
  const [specs, out] = [join(scratch.path, 'specs'), join(scratch.path, 'gen')]
  for (const other of interfaces) await cp(join(specsFolder, other), join(specs, other), { recursive: true })
  await writeFiles(specs, files)
  await Promise.all([
    runScript('packages/api', 'scripts/generate.ts', '--only', name, '--specs', specs, '--out', out).catch(failed),
    ...(files[`${name}/openapi.yaml`] ? [lint(name, specs)] : []),
  ])
  const stale = (await readdir(gen)).filter((file) => file.startsWith(`${name}.`))
  const generated = { ...Object.fromEntries(stale.map((file) => [file, undefined])), ...(await readFolder(out)) }
  await replace({ ...prefixed(specsFolder, files), ...prefixed(gen, generated) })
}

/** Texts of files by path; undefined for a file that does not exist. */
type Files = Readonly<Record<string, string | undefined>>

async function runScript(folder: string, script: string, ...args: readonly string[]): Promise<void> {
  const options = { cwd: join(root, folder), env: toolEnvironment, maxBuffer: 1 << 26 }
  await run(process.execPath, [script, ...args], options)
}

async function follow(): Promise<void> {
  await Promise.all(followers.map(([folder, script]) => runScript(folder, script)))
}

async function lint(name: string, specs: string): Promise<void> {
  const file = join(specs, name, 'openapi.yaml')
  const options = ['--config', 'tools/lint/imported.yaml', '--format', 'json', '--max-problems', '1']
  const { code, stdout, stderr } = await redocly(['lint', file, ...options], specsFolder)
  if (code === 0) return
  const [problem]: readonly Problem[] = stdout.startsWith('{') ? JSON.parse(stdout).problems : []
  if (!problem) throw new Error(stderr)
  throw new RangeError(`${problem.message.replace(/\.$/, '')} (${problem.location[0]?.pointer})`)
}

interface Problem {
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

/** Throws the reason of a failed generator: its line with the error, otherwise its last line. */
function failed(error: unknown): never {
  const { stderr, message } = toRecord(error)
  const lines = String(stderr ?? message)
    .trim()
    .split('\n')
  const reason = lines.find((line) => /^\w*Error: /.test(line)) ?? defined(lines.at(-1))
  throw new RangeError(`no client can be generated from it: ${reason.replace(/^\w*Error: /, '').replace(/\.$/, '')}`)
}

/** Writes files and runs `followers`. If that fails, it restores the previous files. */
async function replace(files: Files): Promise<void> {
  const names = Object.keys(files)
  const before = await Promise.all(names.map((path) => readFile(path, 'utf8').catch(() => undefined)))
  try {
    await writeFiles('', files)
    await follow()
  } catch (error) {
    await writeFiles('', Object.fromEntries(names.map((path, index) => [path, before[index]])))
    await follow().catch(() => undefined)
    failed(error)
  }
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    if (text === undefined) await rm(file, { force: true })
    else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }
}

async function readFolder(folder: string): Promise<Files> {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return Object.fromEntries(names.map((name, index) => [name, texts[index]]))
}

function prefixed(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]))
}
