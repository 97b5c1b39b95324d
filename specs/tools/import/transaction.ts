import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { interfaces, specsFolder } from '../bundle.ts'
import { createScratch, redocly, runTool } from '../redocly.ts'

const root = join(specsFolder, '..')
const gen = join(root, 'packages/api/src/gen')

/** Texts of files by path; undefined for a file that does not exist. */
type Files = Readonly<Record<string, string | undefined>>

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
  await writeFiles(within(specs, files))
  await Promise.all([
    generate('packages/api', 'scripts/generate.ts', '--only', name, '--specs', specs, '--out', out),
    ...(files[`${name}/openapi.yaml`] ? [lint(name, specs)] : []),
  ])
  const stale = (await readdir(gen)).filter((file) => file.startsWith(`${name}.`))
  const generated = await readFiles([...new Set([...stale, ...(await readdir(out))])], out)
  await replace({ ...within(specsFolder, files), ...within(gen, generated) })
}

async function generate(folder: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runTool(args, join(root, folder))
  if (code === 0) return
  const lines = stderr.trim().split('\n')
  const reason = lines.find((line) => /^\w*Error: /.test(line)) ?? defined(lines.at(-1))
  throw new RangeError(`no client can be generated from it: ${reason.replace(/^\w*Error: /, '').replace(/\.$/, '')}`)
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

/** Writes files and what is generated from the contract in other packages. If that fails, it restores the previous files. */
async function replace(files: Files): Promise<void> {
  const follow = () =>
    Promise.all([generate('packages/api', 'scripts/sizes.ts'), generate('apps/cli', 'scripts/docs.ts')])
  const before = await readFiles(Object.keys(files))
  try {
    await writeFiles(files)
    await follow()
  } catch (error) {
    await writeFiles(before)
    await follow().catch(() => undefined)
    throw error
  }
}

async function writeFiles(files: Files): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    if (text === undefined) await rm(file, { force: true })
    else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }
}

async function readFiles(paths: readonly string[], folder = ''): Promise<Files> {
  const texts = paths.map((path) => readFile(join(folder, path), 'utf8').catch(() => undefined))
  return Object.fromEntries((await Promise.all(texts)).map((text, index) => [paths[index], text]))
}

function within(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [join(folder, path), text]))
}
