import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { interfaces, specsFolder } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import {
  area,
  areaPaths,
  areaText,
  type Mistakes,
  mistakes,
  mistakesInArea,
  mistakesInFull,
  regionFile,
} from '../tests/mistakes.ts'
import { copySpecs, createVariedArea, replaceIn, writeArea } from '../tests/test-area.ts'
import { type Finding, lint, lintYaml } from './lint.ts'
import { lintFull } from './lint-full.ts'
import { lintText } from './lint-text.ts'
import contract from './plugin.ts'

await using scratch = await createScratch()

/** Copies the specs for each entry, changes each copy, and lints all copies in one process. */
async function lintCopies<T>(
  entries: readonly T[],
  change: (folder: string, entry: T) => Promise<string>,
  lintAll: (files: readonly string[]) => Promise<Finding[][]>,
): Promise<Finding[][]> {
  const all = join(scratch.path, String(Math.random()))
  const files = await Promise.all(
    entries.map(async (entry, index) => {
      const folder = join(all, String(index))
      await mkdir(folder, { recursive: true })
      await copySpecs(folder)
      return join(folder, await change(folder, entry))
    }),
  )
  const inYaml = files.map((file) => lintYaml(dirname(file)))
  const readable = files.filter((_, index) => inYaml[index]?.length === 0)
  const linted = await lintAll(readable)
  return files.map((file, index) => (inYaml[index]?.[0] ? inYaml[index] : (linted[readable.indexOf(file)] ?? [])))
}

const lintEntries = (files: readonly string[]) => lint(files, ['no-unused-components'])

/** Applies each mistake to a copy. For a mistake in the file of an area, lints the whole interface, because Redocly lints only documents. */
async function lintMistakes(all: Mistakes, lintAll: (files: readonly string[]) => Promise<Finding[][]>) {
  const list = Object.entries(all).flatMap(([rule, ways]) => ways.map((way) => ({ rule, way })))
  const findings = await lintCopies(
    list,
    async (folder, { way: [file, from, to] }) => {
      await replaceIn(join(folder, file), from, to)
      return file.endsWith('.overlay.yaml') ? file : join(dirname(file), 'openapi.yaml')
    },
    lintAll,
  )
  return list.map(({ rule, way: [file, , to, says] }, index) => ({
    rule,
    file,
    to,
    says,
    findings: findings[index] ?? [],
  }))
}

const inSources = await lintMistakes(mistakes, lintEntries)
const inFull = await lintMistakes(mistakesInFull, (files) => lintFull(files.map(dirname)))
const areas = [area, ...Object.values(mistakesInArea).map(([from, to]) => area.replace(from, to))]
const [inArea = [], ...inAreas] = await lintCopies(
  areas,
  (folder, yaml) => writeArea(folder, { yaml, paths: areaPaths, text: areaText }),
  lintEntries,
)

test('the sources and a valid area have no findings, not even a warning', async () => {
  expect((await lint()).flat(), 'Correct these places; `pnpm lint` lists them, too.').toEqual([])
  expect(inArea).toEqual([])
  await using own = await createScratch()
  const { path: folder } = own
  await copySpecs(folder)
  await writeArea(folder, { yaml: area, paths: areaPaths, text: areaText })
  expect(await lintText([folder])).toEqual([[]])
})

test.each(Object.entries(mistakesInArea).map((entry, index) => [...entry, index] as const))(
  'an area is refused in one sentence, with file and line: %s',
  (says, [from, to, at = to], index) => {
    const text = area.replace(from, to)
    expect(text).not.toBe(area)
    const line = text.slice(0, text.indexOf(at)).split('\n').length
    const fault = { file: expect.stringContaining(regionFile), line, message: expect.stringContaining(says) }
    expect(inAreas[index]).toMatchObject([fault])
  },
)

test.each(inSources)('$to in $file breaks $rule', ({ rule, says, findings }) => {
  expect(findings).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(says) }))
})

test('the specs with overlays have no findings', async () => {
  const findings = await lintFull(interfaces.map((name) => join(specsFolder, name)))
  expect(findings.flat(), 'Correct these places of the supplement.').toEqual([])
})

test.each(inFull)('with overlays, $to in $file breaks $rule', ({ rule, says, findings }) => {
  expect(findings).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(says) }))
})

test('a name of a field, header or component may start with x-', async () => {
  const header = '{ description: It., headers: { x-next: { schema: { type: string } } } }'
  const named = `\n  responses: { x-a: ${header} }\n  schemas:\n    x-b: { properties: { x-c: {} } }\n`
  const mistake = { named: [['management/openapi.yaml', '\n  schemas:\n', named, '']] } as const
  const [result] = await lintMistakes(mistake, lintEntries)
  expect(result?.findings.filter(({ rule }) => rule === 'contract/known-extension')).toEqual([])
})

/** Mistakes of the area that only lintFull or lintText finds, by message: a text, its replacement, and file and text of the line. */
const mistakesInContext: Readonly<Record<string, readonly [from: string, to: string, file: string, at: string]>> = {
  '`pull-zone` is already the name of another resource; names are unique.': [
    'name: box, id',
    'name: pull-zone, id',
    regionFile,
    'name: pull-zone, id',
  ],
  'The text about `GET /box` does not have the status 202.': ['"200"', '"202"', regionFile, '"202"'],
  '§4.5 has the status 200, which the contract does not state there.': [
    '"200"',
    '"202"',
    'SPEC.md',
    '`GET /box` lists',
  ],
  'No sentence about `perPage` has its `maximum`, 100.': ['maximum: 1000', 'maximum: 100', regionFile, 'maximum: 100'],
  'SPEC.md does not have the value `oval` of `Kind`.': ['round, square', 'round, oval', regionFile, 'round, oval'],
  'SPEC.md says that `Size` is integer, not string.': [
    'Size: { type: integer }',
    'Size: { type: string }',
    regionFile,
    'Size: {',
  ],
  'SPEC.md says that `Name` is required.': ['required: [Name]', 'required: []', regionFile, 'required: []'],
  '§4.5 has no parameter `perSide`.': ['perPage', 'perSide', regionFile, 'perSide'],
  'SPEC.md has no section 12: correct it': ['age, section: "4.5"', 'age, section: "12"', regionFile, '"12"'],
  '`GET /box/{id}` is in §4.5, not in §4.55.': ['age, section: "4.5"', 'age, section: "4.55"', regionFile, '"4.55"'],
}

test('mistakes that only the supplement or the text of the spec shows are refused with file and line', async () => {
  await using own = await createScratch()
  const folders = await Promise.all(
    Object.values(mistakesInContext).map(async ([from, to], index) => {
      const folder = join(own.path, String(index))
      await mkdir(folder)
      await copySpecs(folder)
      await writeArea(folder, { yaml: area.replace(from, to), paths: areaPaths, text: areaText })
      return folder
    }),
  )
  const inText = await lintText(folders)
  const inContract = await lintFull(folders.map((folder) => join(folder, 'management')))
  for (const [index, [says, [, , file, at]]] of Object.entries(mistakesInContext).entries()) {
    const text = await readFile(join(String(folders[index]), file), 'utf8')
    const line = text.slice(0, text.indexOf(at)).split('\n').length
    const fault = { file: expect.stringContaining(file), line, message: expect.stringContaining(says) }
    expect([...(inText[index] ?? []), ...(inContract[index] ?? [])]).toContainEqual(expect.objectContaining(fault))
  }
})

test('an area with valid facts in many forms has no findings', async () => {
  await using own = await createScratch()
  const { path: folder } = own
  await copySpecs(folder)
  const entry = await writeArea(folder, await createVariedArea())
  expect(lintYaml(join(folder, 'management'))).toEqual([])
  expect((await lintEntries([join(folder, entry)])).flat()).toEqual([])
  expect((await lintFull([join(folder, 'management')])).flat()).toEqual([])
  expect(await lintText([folder])).toEqual([[]])
})

test('every rule of this repository reports a mistake of these tests', async () => {
  const { id, rules } = contract()
  const names = Object.keys({ ...rules.oas3, ...rules.overlay1 }).map((name) => `${id}/${name}`)
  const yaml = await readFile(join(specsFolder, 'redocly.yaml'), 'utf8')
  const configured = [...yaml.matchAll(/^ {2}(rule\/[\w-]+):$/gm)].map(([, rule]) => rule)
  const all = [...inSources, ...inFull].flatMap((each) => each.findings)
  const used = new Set([...all, ...inAreas.flat()].map(({ rule }) => rule))
  expect([...names, ...configured].filter((rule) => !used.has(String(rule)))).toEqual([])
})
