/** The folders of a package have an order: a folder imports only folders before it. The READMEs of the suite and of `cdn` show their order. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Folders of `src` in their order. Files directly in `src` that are not named here are entries: they import any folder. */
const folderOrder: Readonly<Record<string, readonly string[]>> = {
  'apps/cli': ['terminal', 'output', 'target', 'program', 'operations', 'logs', 'commands'],
  'packages/emulator': [
    'contract',
    'variants',
    'exchange',
    'platform',
    'faults',
    'journal',
    'http',
    'emulator.ts',
    'cli',
  ],
  'packages/conformance': [
    ...['gen', 'schemas', 'exchange', 'rules', 'cases', 'scenarios'],
    ...['verdict', 'report', 'memory', 'run', 'cli'],
  ],
}

interface FolderImport {
  readonly from: string
  readonly to: string
  readonly file: string
}

/** The imports between the folders of a package, without those of tests. */
function importsOf(name: string): readonly FolderImport[] {
  const sources = join(repository, name, 'src')
  const files = globSync('**/*.ts', { cwd: sources }).filter((file) => !file.endsWith('.test.ts'))
  const folderOf = (file: string) => (file.includes(sep) ? file.slice(0, file.indexOf(sep)) : file)
  return files.flatMap((file) =>
    [...readFileSync(join(sources, file), 'utf8').matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)].map(
      ([, path = '']) => ({
        from: folderOf(file),
        to: folderOf(join(dirname(file), path)),
        file,
      }),
    ),
  )
}

test.each(Object.keys(folderOrder))('%s: every import between folders leads to an earlier folder', (name) => {
  // Above `src`, only files such as the package.json are imported.
  const order = ['..', ...(folderOrder[name] ?? [])]
  const folders = readdirSync(join(repository, name, 'src'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  )
  expect(folders.map((folder) => folder.name).sort()).toEqual(
    order
      .slice(1)
      .filter((name) => !name.endsWith('.ts'))
      .sort(),
  )
  const between = importsOf(name).filter(({ from, to }) => from !== to && order.includes(from))
  expect(between.length).toBeGreaterThan(20)
  expect(between.filter(({ from, to }) => order.indexOf(to) === -1 || order.indexOf(from) < order.indexOf(to))).toEqual(
    [],
  )
})
