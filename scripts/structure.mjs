// `node scripts/structure.mjs`: reports sources that import files for tests, imports of packages that are not among the dependencies,
// and `@throws` without an error class that exists.
// Biome finds import cycles, knip finds unused exports, jscpd finds copied code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { trackedFiles } from './tracked-files.mjs'

const isTest = (file) =>
  /\.test\.tsx?$|(^|\/)(tests|testing|fixtures)\/|\/testing\.ts$|(^|\/)vitest\.config\.ts$/.test(file)
/** Whether a file is a script of a package. Scripts may import the helpers of the package's tests. */
const isCampaign = (file) => /^(apps|packages)\/[^/]+\/scripts\//.test(file)
const sources = trackedFiles('*.ts', '*.tsx').filter(
  (file) => !/(^|\/)(gen|bench|examples)\//.test(file) && !isTest(file),
)

const faults = []
/** An import that stays after types are removed: the path, if it names a package. */
const runTimeImport = /^(?:import|export) (?!type\b)(?:[\w*][^'{\n]*|[^'{\n]*\{[^}]*\} )from '((?!node:)[^'.][^']*)'/gm
/** The packages that are installed with a package: an import of any other one fails for its users. @type {Map<string, Set<string>>} */
const installed = new Map()
function dependenciesOf(folder) {
  const known = installed.get(folder)
  if (known) return known
  const { name, dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const names = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  installed.set(folder, names)
  return names
}
const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** The errors that a `@throws` may name: those of JavaScript and of commander, and exported classes. */
const errors = new Set(['Error', 'RangeError', 'TypeError', 'SyntaxError', 'AggregateError', 'CommanderError'])
for (const text of texts.values())
  for (const [, name] of text.matchAll(/^export (?:abstract )?class (\w+)/gm)) errors.add(name)

for (const [file, text] of texts) {
  for (const [, stated] of text.matchAll(/@throws ([^\n]*)/g)) {
    // The errors of a callback, a stream or a signal have no class that a docstring could name.
    const [first = ''] = /^(the|errors of) /.test(stated) ? ['Error'] : (/^\w*/.exec(stated) ?? [])
    const unknown = [first, ...(stated.match(/\b[A-Z]\w*Error\b/g) ?? [])].find((name) => !errors.has(name))
    if (unknown !== undefined) faults.push(`${file}: \`@throws ${stated}\` names no exported error class: ${unknown}`)
  }
  if (isCampaign(file)) continue
  // The programs in apps are published as bundles.
  const folder = /^packages\/[^/]+(?=\/src\/)/.exec(file)?.[0]
  for (const [, path] of folder ? text.matchAll(runTimeImport) : []) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
    if (!dependenciesOf(folder).has(name)) faults.push(`${file} imports ${name}, which ${folder} does not install`)
  }
  for (const [, path] of text.matchAll(/\b(?:from|import)\b[ (]'([^']+)'/g))
    if (/\.test\.ts$|\/(tests|testing|fixtures)\/|\/testing(\.ts)?$/.test(path))
      faults.push(`${file} imports ${path}, which only tests use`)
}
for (const fault of faults) console.log(fault)
console.log(`${sources.length} files, ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0
