import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle, specsFolder } from '../bundle.ts'
import { valueAt } from '../facts/compare.ts'
import { pointer } from '../facts/fact.ts'
import { copySpecs, lintFiles, lintFull, replaceIn, withScratch } from '../testing.ts'
import { importFile } from './import.ts'

/** What others may write: OpenAPI 3.0, references to everything, words of their own, and names that are taken here. */
const foreign = `
openapi: 3.0.3
info: { title: Storage, version: "1.2" }
security: [{ key: [] }]
paths:
  /storagezone:
    parameters: [{ $ref: "#/components/parameters/Trace" }]
    get:
      operationId: StorageZonePublic_Index
      tags: [StorageZone]
      x-vendor: { a: 1 }
      parameters:
        - { name: ids, in: query, schema: { type: array, items: { type: integer, format: int64 } }, example: [7] }
      responses: { "200": { $ref: "#/components/responses/Zones" } }
    post:
      tags: [StorageZone, Other]
      security: []
      requestBody: { $ref: "#/components/requestBodies/Zone" }
      responses: { "201": { description: Added. } }
  /storagezone/{zone}:
    delete:
      operationId: StorageZonePublic_Index
      summary: Delete
      parameters: [{ name: zone, in: path, required: true, schema: { type: integer } }]
      responses: { "204": { description: Gone. } }
  /pullzone/{zoneId}:
    get:
      responses: { "200": { description: The contract has it already. } }
components:
  parameters:
    Trace: { name: trace, in: query, schema: { type: string } }
  requestBodies:
    Zone: { content: { application/json: { schema: { $ref: "#/components/schemas/Zone" }, example: { no: 1 } } } }
  responses:
    Zones:
      description: All.
      links: { x: { operationId: StorageZonePublic_Index } }
      content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Zone" } } } }
  schemas:
    Error: { type: object, properties: { x-kept: { type: string, x-dropped: true } } }
    Unused: { type: string }
    Zone:
      type: object
      x-vendor: zone
      properties:
        Name: { type: string, nullable: true, enum: [a, b], example: a }
        Size: { type: number, minimum: 0, exclusiveMinimum: true }
        Parent: { nullable: true, allOf: [{ $ref: "#/components/schemas/Zone" }] }
        Trouble: { $ref: "#/components/schemas/Error" }
  securitySchemes:
    key: { type: apiKey, in: header, name: accesskey }
`

async function withImport<T>(use: (folder: string, file: string, said: string) => Promise<T>): Promise<T> {
  return await withScratch(async (folder) => {
    await copySpecs(folder)
    const file = join(folder, 'storage.yaml')
    await writeFile(file, foreign)
    return await use(folder, file, await importFile(file, folder))
  })
}

test('the lint says what a contract of others lacks, and how it comes in', async () => {
  await withScratch(async (folder) => {
    await writeFile(join(folder, 'storage.yaml'), foreign)
    const [found = []] = await lintFiles([join(folder, 'storage.yaml')])
    const missing = found.filter(({ rule }) => rule === 'contract/operation-words')
    expect(missing).toHaveLength(8)
    expect(missing[0]?.message).toContain('`pnpm generate --import FILE` fills it in')
  })
})

test('operations get our words, marked as assumed, and stand in the full layer alone', async () => {
  await withImport(async (folder, _file, said) => {
    expect(said).toContain('3 operations of storage.yaml')
    expect(said).toContain('6 words were filled in')
    expect(said).toContain('left out: GET /pullzone/{zoneId}')
    expect(await bundle('management', 'document', folder)).toEqual(await bundle('management', 'document'))
    const full = await bundle('management', 'full', folder)
    const at = (...steps: string[]) => valueAt(full, pointer('paths', ...steps))
    expect(at('/storagezone', 'get')).toEqual({
      tags: ['Storage Zone'],
      operationId: 'StorageZonePublic_Index',
      summary: 'GET /storagezone',
      description: 'Imported; nothing is said of it.',
      'x-name': 'storage-zone-public-index',
      'x-effect': 'read',
      'x-assumed': ['x-name', 'x-effect'],
      security: [{ AccessKey: [] }],
      parameters: [
        { name: 'trace', in: 'query', schema: { type: 'string' } },
        {
          name: 'ids',
          in: 'query',
          schema: { type: 'array', items: { type: 'integer', format: 'int64' }, examples: [[7]] },
        },
      ],
      responses: {
        '200': {
          description: 'All.',
          content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Zone' } } } },
        },
      },
    })
    expect(at('/storagezone', 'post')).toMatchObject({
      'x-name': 'post-storagezone',
      'x-effect': 'write',
      security: [],
    })
    const gone = {
      'x-name': 'storage-zone-public-index-2',
      'x-effect': 'destructive',
      tags: ['Storage'],
      summary: 'Delete',
    }
    expect(at('/storagezone/{zone}', 'delete')).toMatchObject(gone)
    expect(at('/pullzone/{zoneId}')).toBeUndefined()
    const schemas = valueAt(full, '/components/schemas') as Record<string, unknown>
    expect(schemas['Zone']).toEqual({
      type: 'object',
      properties: {
        Name: { type: ['string', 'null'], enum: ['a', 'b', null], examples: ['a'] },
        Size: { type: 'number', exclusiveMinimum: 0 },
        Parent: { anyOf: [{ allOf: [{ $ref: '#/components/schemas/Zone' }] }, { type: 'null' }] },
        Trouble: { $ref: '#/components/schemas/imported.Error' },
      },
    })
    expect(schemas['imported.Error']).toEqual({ type: 'object', properties: { 'x-kept': { type: 'string' } } })
    expect(schemas).not.toHaveProperty('Unused')
    expect((full['tags'] as { name: string }[]).map(({ name }) => name)).toContain('Storage')
    expect(await lintFull([[folder, 'management']])).toEqual([[]])
  })
})

test('a word that somebody has looked at stays when the same file comes in again', async () => {
  await withImport(async (folder, file) => {
    const overlay = join(folder, 'management/imported-storage.overlay.yaml')
    await replaceIn(overlay, 'x-name: storage-zone-public-index\n', 'x-name: list-storage-zones\n')
    const text = await readFile(overlay, 'utf8')
    await writeFile(overlay, text.replace(/x-assumed:\n *- x-name\n( *)- x-effect/, 'x-assumed:\n$1- x-effect'))
    await importFile(file, folder)
    const again = valueAt(await bundle('management', 'full', folder), pointer('paths', '/storagezone', 'get'))
    expect(again).toMatchObject({ 'x-name': 'list-storage-zones', 'x-effect': 'read', 'x-assumed': ['x-effect'] })
  })
})

test.each([
  ['nothing.yaml', undefined, 'does not exist'],
  ['text.yaml', 'just words', 'Document must be JSON object, got string'],
  ['broken.yaml', 'a: [1', 'unexpected end of the stream'],
  ['swagger.yaml', 'swagger: "2.0"\ninfo: { title: a, version: "1" }\npaths: {}\n', 'convert a Swagger 2.0 file first'],
  ['empty.yaml', 'openapi: 3.1.0\ninfo: { title: a, version: "1" }\npaths: {}\n', 'holds no operation'],
])('%s is refused in a sentence', async (name, text, says) => {
  await withScratch(async (folder) => {
    await copySpecs(folder)
    if (text !== undefined) await writeFile(join(folder, name), text)
    const refusal = importFile(join(folder, name), folder)
    await expect(refusal).rejects.toThrow(RangeError)
    await expect(refusal).rejects.toThrow(says)
  })
})

test('nothing is imported here yet', async () => {
  expect(await bundle('management', 'full', specsFolder)).not.toHaveProperty(['paths', '/storagezone'])
})
