import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { camelCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { specsFolder } from '../bundle.ts'
import { lint } from '../lint/lint.ts'
import { createScratch } from '../redocly.ts'
import { copySpecs } from '../tests/testing.ts'
import { declaredAreas, newArea, nextSection, slugOf } from './new-area.ts'

/** Scaffolds areas in sequence in a copy of the specs and of the table of facts. */
async function scaffold<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await using scratch = await createScratch()
  const { path: folder } = scratch
  await copySpecs(folder)
  await cp(join(specsFolder, 'tools/tests/facts'), join(folder, 'tools/tests/facts'), { recursive: true })
  await cp(join(specsFolder, 'tools/tests/facts.ts'), join(folder, 'tools/tests/facts.ts'))
  return await use(folder)
}

test('areas of the spec and other areas are linked, numbered, and lack only operations', async () => {
  await scaffold(async (folder) => {
    // The specs grow, so the test does not name an area: it uses the first one without operations.
    const before = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    const { area } = defined(declaredAreas(before).find(({ unspecified }) => unspecified))
    const slug = slugOf(area)
    const section = Number((await nextSection(folder)).split('.')[1])
    expect(await newArea([area], folder)).toContain(`specs/management/${slug}.yaml`)
    expect(await newArea(['Edge Rules 2'], folder)).toContain('The spec did not name this area before')
    const yaml = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    expect(before).toContain(`management.${slug}.operations`)
    expect(yaml).not.toContain(`management.${slug}.operations`)
    expect(yaml).toContain('  - name: Edge Rules 2\n')
    expect(yaml).toContain('  /example/edge-rules-2:\n    $ref: edge-rules-2.yaml#/example\n')
    const edgeRules = await readFile(join(folder, 'management/edge-rules-2.yaml'), 'utf8')
    expect(edgeRules).toContain(`section: "4.${section + 1}"`)
    const table = await readFile(join(folder, 'tools/tests/facts.ts'), 'utf8')
    expect(table).toContain("import { edgeRules2Facts } from './facts/edge-rules-2.ts'\n")
    expect(table).toContain(`  ...${camelCase(slug)}Facts,\n  ...edgeRules2Facts,\n]`)

    const [found] = await lint([join(folder, 'management/openapi.yaml')], ['no-unused-components'])
    expect(found?.map(({ message }) => message)).toEqual(
      [slug, 'edge-rules-2'].map(
        () => '`x-name` is that of the example of `pnpm new-area`; replace it with an operation of the spec.',
      ),
    )
  })
})

test('--from copies the operations of a tag, and the lint says what is left to write', async () => {
  const vendor = `{ "openapi": "3.0.0", "paths": {
    "/region/{id}": {
      "get": {
        "tags": ["Region"], "summary": "Get Region", "operationId": "Region_Get", "x-position": 1,
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
        "responses": { "200": { "description": "It.", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Region" } } } } }
      },
      "delete": { "tags": ["Other"], "responses": {} }
    }
  }, "components": { "schemas": {
    "Region": { "type": "object", "properties": { "Name": { "type": "string", "nullable": true }, "Next": { "$ref": "#/components/schemas/Next" } } },
    "Next": { "nullable": true, "oneOf": [{ "$ref": "#/components/schemas/Region" }] },
    "Unused": {}
  } } }`
  await scaffold(async (folder) => {
    const file = join(folder, 'vendor.json')
    await writeFile(file, vendor)
    await newArea(['Region', '--from', file], folder)
    const yaml = parse(await readFile(join(folder, 'management/region.yaml'), 'utf8'))
    expect(Object.keys(yaml.regionId)).toEqual(['get'])
    expect(yaml.regionId.get).toMatchObject({ summary: 'Get Region', 'x-name': 'get-region' })
    expect(yaml.components.schemas).toEqual({
      Region: {
        type: 'object',
        properties: { Name: { type: ['string', 'null'] }, Next: { $ref: '#/components/schemas/Next' } },
      },
      Next: { oneOf: [{ $ref: '#/components/schemas/Region' }, { type: 'null' }] },
    })
    const entry = join(folder, 'management/openapi.yaml')
    expect(await readFile(entry, 'utf8')).toContain('  /region/{id}:\n    $ref: region.yaml#/regionId\n')
    const [found = []] = await lint([entry], ['no-unused-components'])
    expect(found.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['rule/operation-has-effect', 'rule/unauthorized-stated']),
    )
    await expect(newArea(['Search', '--from', file], folder)).rejects.toThrow(
      'The file has no operation with the tag `Search`: expected one of Region, Other.',
    )
    await expect(newArea(['Search', '--from', 'no.json'], folder)).rejects.toThrow('Cannot read no.json: no such file')
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
    await expect(newArea(args, folder)).rejects.toThrow(says)
    expect(await readFile(join(folder, 'management/openapi.yaml'), 'utf8')).toBe(before)
    expect(await readFile(join(folder, 'management/edge-rules-9.yaml'), 'utf8')).toBe('mine: {}\n')
  })
})
