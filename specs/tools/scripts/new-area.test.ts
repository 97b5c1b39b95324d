import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { lint } from '../lint/lint.ts'
import { createScratch } from '../redocly.ts'
import { copySpecs } from '../tests/test-area.ts'
import { declaredAreas, newArea, nextSection, slugOf } from './new-area.ts'

/** Calls `use` with a copy of the specs, which is removed afterwards. */
async function scaffold<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await using scratch = await createScratch()
  const { path: folder } = scratch
  await copySpecs(folder)
  return await use(folder)
}

test('a new area is linked and numbered, and lacks only operations, whether the spec names it or not', async () => {
  await scaffold(async (folder) => {
    // The specs grow, so the test does not name an area: it uses the first one without operations.
    const before = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    const { area } = assertDefined(declaredAreas(before).find(({ unspecified }) => unspecified))
    const slug = slugOf(area)
    const section = Number(nextSection(folder).split('.')[1])
    expect(newArea([area], folder)).toContain(`specs/management/${slug}.yaml`)
    expect(newArea(['Edge Rules 2'], folder)).toContain('The spec did not name this area before')
    const yaml = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    expect(before).toContain(`management.${slug}.operations`)
    expect(yaml).not.toContain(`management.${slug}.operations`)
    expect(yaml).toContain('  - name: Edge Rules 2\n')
    expect(yaml).toContain('  /example/edge-rules-2:\n    $ref: edge-rules-2.yaml#/example\n')
    const edgeRules = await readFile(join(folder, 'management/edge-rules-2.yaml'), 'utf8')
    expect(edgeRules).toContain(`section: "4.${section + 1}"`)

    const [found] = await lint([join(folder, 'management/openapi.yaml')], ['no-unused-components'])
    expect(found?.map(({ message }) => message)).toEqual(
      [slug, 'edge-rules-2'].map(
        () => '`x-name` is that of the example of `pnpm new-area`; replace it with an operation of the spec.',
      ),
    )
  })
})

test.each([
  [[], 'pnpm new-area "DNS Zone"'],
  [['DNS', 'Zone'], 'pnpm new-area "DNS Zone"'],
  [['--help'], 'pnpm new-area "DNS Zone"'],
  [['../x'], '`../x` is not a name of an area'],
  [['dns zone'], 'The spec writes this area `DNS Zone`'],
  [['Pull Zone'], 'The area `Pull Zone` has operations already'],
  [['Edge Rules 9'], 'specs/management/edge-rules-9.yaml exists already'],
])('%j is refused in one sentence, and nothing is written', async (args, says) => {
  await scaffold(async (folder) => {
    await writeFile(join(folder, 'management/edge-rules-9.yaml'), 'mine: {}\n')
    const before = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    expect(() => newArea(args, folder)).toThrow(says)
    expect(await readFile(join(folder, 'management/openapi.yaml'), 'utf8')).toBe(before)
    expect(await readFile(join(folder, 'management/edge-rules-9.yaml'), 'utf8')).toBe('mine: {}\n')
  })
})
