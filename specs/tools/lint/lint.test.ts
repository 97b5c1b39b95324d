import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type InterfaceName, interfaces, specsFolder } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import { overlaySabotages, type Sabotages, sourceSabotages } from '../tests/sabotages.ts'
import { copySpecs, type Finding, lintFiles, lintFull, lintSources, replaceIn } from '../tests/testing.ts'
import contract from './plugin.ts'

/** Applies each sabotage to one copy of the specs, and lints all copies. */
async function lintBroken(
  sabotages: Sabotages,
  lint: (broken: { folder: string; file: string }[]) => Promise<Finding[][]>,
) {
  const list = Object.entries(sabotages).flatMap(([rule, ways]) => ways.map((way) => ({ rule, way })))
  await using scratch = await createScratch()
  const broken = await Promise.all(
    list.map(async ({ way: [file, from, to] }, index) => {
      const folder = join(scratch.path, String(index))
      await copySpecs(folder)
      await replaceIn(join(folder, file), from, to)
      return { folder, file }
    }),
  )
  const findings = await lint(broken)
  return list.map(({ rule, way: [file, , to, says] }, index) => ({ rule, file, to, says, found: findings[index] }))
}

/** Returns the file to lint. For an area file, it is the entry of the interface, because the area is not a whole document. */
function entryOf(file: string): string {
  return file.endsWith('.overlay.yaml') ? file : join(dirname(file), 'openapi.yaml')
}

const broken = await lintBroken(sourceSabotages, (copies) =>
  lintFiles(copies.map(({ folder, file }) => join(folder, entryOf(file)))),
)
const brokenFull = await lintBroken(overlaySabotages, (copies) =>
  lintFull(copies.map(({ folder, file }) => [folder, dirname(file) as InterfaceName])),
)

describe('lint of the sources', () => {
  test('finds nothing in the specs, not even a warning', async () => {
    expect(await lintSources()).toEqual([])
  })

  test.each(broken)('$rule refuses $to in $file', ({ rule, says, found }) => {
    expect(found).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(says) }))
  })
})

describe('lint of the specs with overlays', () => {
  test('finds nothing in the specs', async () => {
    const findings = await lintFull(interfaces.map((name) => [specsFolder, name]))
    expect(findings.flat()).toEqual([])
  })

  test.each(brokenFull)('$rule refuses $to in $file', ({ rule, says, found }) => {
    expect(found).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(says) }))
  })
})

test('a name of a field, header or component may start with x-', async () => {
  const header = '{ description: It., headers: { x-next: { schema: { type: string } } } }'
  await using scratch = await createScratch()
  await copySpecs(scratch.path)
  const file = join(scratch.path, 'management/openapi.yaml')
  const named = `\n  responses: { x-a: ${header} }\n  schemas:\n    x-b: { properties: { x-c: {} } }\n`
  await replaceIn(file, '\n  schemas:\n', named)
  const findings = await lintFiles([file])
  expect(findings.flat().filter(({ rule }) => rule === 'contract/known-extension')).toEqual([])
})

test('every rule of ours has a sabotage', async () => {
  const { id, rules } = contract()
  const names = [...new Set([...Object.keys(rules.oas3), ...Object.keys(rules.overlay1)])]
  const configured = await Promise.all(
    ['redocly.yaml', 'tools/lint/common.yaml'].map((file) => readFile(join(specsFolder, file), 'utf8')),
  )
  const inYaml = configured.flatMap((text) => [...text.matchAll(/^ {2}(rule\/[\w-]+):$/gm)].map(([, rule]) => rule))
  const sabotaged = Object.keys(sourceSabotages).filter((rule) => rule.includes('/'))
  expect(sabotaged.sort()).toEqual([...names.map((name) => `${id}/${name}`), ...inYaml].sort())
})
