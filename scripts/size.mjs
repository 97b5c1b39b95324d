// `pnpm size`: source lines per folder, next to the committed table scripts/size.json. Fails if a folder grew by more than 2 %
// without a new number in the table. `pnpm size --write` writes the table.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { trackedFiles } from './tracked-files.mjs'

const table = join(root, 'scripts/size.json')
const isSource = (file) => !/(^|\/)(gen|tests)\/|\.test\.tsx?$/.test(file)
const folderOf = (file) => /^specs\/tools/.exec(file)?.[0] ?? file.split('/').slice(0, 2).join('/')

/** @type {Map<string, number[]>} */
const folders = new Map()
for (const file of trackedFiles('packages', 'apps', 'specs/tools')) {
  if (!/\.(tsx?|mjs)$/.test(file) || !isSource(file)) continue
  const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
  folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), lines])
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, lines) => total + lines, 0)
const median = (/** @type {number[]} */ numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const row = (/** @type {unknown[]} */ [name, ...cells]) =>
  console.log(String(name).padEnd(24) + cells.map((cell) => String(cell).padStart(9)).join(''))

/** @type {Record<string, number>} */
const committed = JSON.parse(readFileSync(table, 'utf8'))
row(['folder', 'lines', 'table', 'files', 'median'])
for (const [folder, files] of folders)
  row([folder, sum(files), committed[folder] ?? 'none', files.length, median(files)])
const all = [...folders.values()].flat()
row(['all', sum(all), sum(Object.values(committed)), all.length, median(all)])

if (process.argv.includes('--write')) {
  const numbers = Object.fromEntries([...folders].map(([folder, files]) => [folder, sum(files)]))
  writeFileSync(table, `${JSON.stringify(numbers, null, 2)}\n`)
} else
  for (const [folder, files] of folders)
    if (sum(files) > (committed[folder] ?? 0) * 1.02) {
      console.log(
        `${folder} grew to ${sum(files)} lines; the table has ${committed[folder] ?? 0}. Remove lines, or commit \`pnpm size --write\` with the reason.`,
      )
      process.exitCode = 1
    }
