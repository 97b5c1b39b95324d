import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { specsFolder } from '../bundle.ts'
import { copySpecs, lintFiles, withScratch } from '../testing.ts'
import { newArea } from './new-area.ts'

/** Scaffolds areas one after another in a copy of the specs and of the table of facts. */
async function scaffold<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return await withScratch(async (folder) => {
    await copySpecs(folder)
    await cp(join(specsFolder, 'facts'), join(folder, 'facts'), { recursive: true })
    await cp(join(specsFolder, 'facts.ts'), join(folder, 'facts.ts'))
    return await use(folder)
  })
}

test('areas that the document names and others are linked, numbered, and lack nothing but an operation', async () => {
  await scaffold(async (folder) => {
    expect(await newArea(['DNS Zone'], folder)).toContain('specs/management/dns-zone.yaml')
    expect(await newArea(['Edge Rules 2'], folder)).toContain('The document did not name this area before')
    const yaml = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    expect(yaml).toContain('  - name: DNS Zone\n  - name: DNSSEC\n')
    expect(yaml).not.toContain('management.dns-zone.operations')
    expect(yaml).toContain('  - name: Edge Rules 2\n')
    expect(yaml).toContain('  /example/edge-rules-2:\n    $ref: edge-rules-2.yaml#/example\n')
    expect(await readFile(join(folder, 'management/edge-rules-2.yaml'), 'utf8')).toContain('section: "4.6"')
    const table = await readFile(join(folder, 'facts.ts'), 'utf8')
    expect(table).toContain("import { edgeRules2Facts } from './facts/edge-rules-2.ts'\nimport type { Fact }")
    expect(table).toContain('  ...dnsZoneFacts,\n  ...edgeRules2Facts,\n]')

    const [found = []] = await lintFiles([join(folder, 'management/openapi.yaml')])
    expect(found.map(({ message }) => message)).toEqual(
      ['dns-zone', 'edge-rules-2'].map(
        (slug) =>
          `\`example-${slug}\` is the example that \`pnpm new-area\` made; put an operation of the document in its place.`,
      ),
    )
  })
})

test.each([
  [[], 'pnpm new-area "DNS Zone"'],
  [['DNS', 'Zone'], 'pnpm new-area "DNS Zone"'],
  [['--help'], 'pnpm new-area "DNS Zone"'],
  [['../x'], '`../x` is no name of an area'],
  [['dns zone'], 'The document writes this area `DNS Zone`'],
  [['Pull Zone'], 'The area `Pull Zone` has operations already'],
  [['Purge'], 'specs/management/purge.yaml is there already'],
])('%j is refused in a sentence, and nothing is written', async (args, says) => {
  await scaffold(async (folder) => {
    await writeFile(join(folder, 'management/purge.yaml'), 'mine: {}\n')
    const before = await readFile(join(folder, 'management/openapi.yaml'), 'utf8')
    await expect(newArea(args, folder)).rejects.toThrow(says)
    expect(await readFile(join(folder, 'management/openapi.yaml'), 'utf8')).toBe(before)
    expect(await readFile(join(folder, 'management/purge.yaml'), 'utf8')).toBe('mine: {}\n')
  })
})
