import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { interfaces, specsFolder } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import {
  area,
  areaLinks,
  areaText,
  type Mistakes,
  mistakes,
  mistakesInArea,
  mistakesInFull,
  region,
} from '../tests/mistakes.ts'
import { copySpecs, replaceIn } from '../tests/testing.ts'
import { type Finding, lint, lintYaml } from './lint.ts'
import { lintFull } from './lint-full.ts'
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

/** Writes the file of an area into a copy, and links its paths. Returns the path of the document to lint. */
async function writeArea(folder: string, text: string): Promise<string> {
  const entry = 'management/openapi.yaml'
  await writeFile(join(folder, region), text)
  const open = '- { id: management.region.operations, section: "1", text: The operations of this area. }'
  await replaceIn(join(folder, entry), `  - name: Region\n    x-unspecified:\n      ${open}\n`, '  - name: Region\n')
  await replaceIn(join(folder, entry), '\npaths:\n', `\npaths:\n${areaLinks}`)
  await replaceIn(join(folder, 'SPEC.md'), '## §5', `${areaText}## §5`)
  return entry
}

const inSources = await lintMistakes(mistakes, lintEntries)
const inFull = await lintMistakes(mistakesInFull, (files) => lintFull(files.map(dirname)))
const areas = [area, ...Object.values(mistakesInArea).map(([from, to]) => area.replace(from, to))]
const [inArea = [], ...inAreas] = await lintCopies(areas, writeArea, lintEntries)

test('the sources and a valid area have no findings, not even a warning', async () => {
  expect((await lint()).flat(), 'Correct these places; `pnpm lint` lists them, too.').toEqual([])
  expect(inArea).toEqual([])
})

test.each(Object.entries(mistakesInArea).map((entry, index) => [...entry, index] as const))(
  'an area is refused in one sentence, with file and line: %s',
  (says, [from, to, at = to], index) => {
    const text = area.replace(from, to)
    expect(text).not.toBe(area)
    const line = text.slice(0, text.indexOf(at)).split('\n').length
    const fault = { file: expect.stringContaining(region), line, message: expect.stringContaining(says) }
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

test('every rule of ours refuses something here', async () => {
  const { id, rules } = contract()
  const names = Object.keys({ ...rules.oas3, ...rules.overlay1 }).map((name) => `${id}/${name}`)
  const yaml = await readFile(join(specsFolder, 'redocly.yaml'), 'utf8')
  const configured = [...yaml.matchAll(/^ {2}(rule\/[\w-]+):$/gm)].map(([, rule]) => rule)
  const all = [...inSources, ...inFull].flatMap((each) => each.findings)
  const used = new Set([...all, ...inAreas.flat()].map(({ rule }) => rule))
  expect([...names, ...configured].filter((rule) => !used.has(String(rule)))).toEqual([])
})
