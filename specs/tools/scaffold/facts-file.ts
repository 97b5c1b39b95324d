import { examplePrefix } from './area-file.ts'
import type { AreaNames } from './names.ts'

/**
 * Returns the file with the rows of a new area in the table of facts. The rows describe the example of the area's file.
 *
 * @param section section of the spec for the operations of the area
 * @returns TypeScript
 */
export function factsFile({ area, slug, camel }: AreaNames, section: string): string {
  const name = `${examplePrefix}${slug}`
  return `/** The facts about the area ${area} (§${section}), written from the source of the spec and not from ${slug}.yaml. */
import { entries, type Fact, facts, pointer, present } from './fact.ts'

// These rows are those of the example: put the facts of the spec in their place.
const example = ['paths', '/example/${slug}', 'get']
const json = '/content/application~1json/schema'

export const ${camel}Facts: readonly Fact[] = [
  ...facts('${section}', 'management', pointer(...example), {
    '': present,
    '/tags': ['${area}'],
    '/x-effect': 'read',
    '/parameters/page': present,
    '/parameters/page/in': 'query',
    '/parameters/page/schema': { type: 'integer', minimum: 1, default: 1 },
    '/responses/200': present,
    [\`/responses/200\${json}\`]: {
      type: 'object',
      required: ['Items', 'HasMoreItems'],
      properties: {
        Items: { type: 'array', items: { $ref: '#/components/schemas/Example' } },
        HasMoreItems: { type: 'boolean' },
      },
    },
  }),
  ...facts('${section}', 'management', pointer('paths', '/example/${slug}'), {
    '/x-resource': { name: '${name}', id: 'Id' },
  }),
  ...facts('${section}', 'management', '/components/schemas/Example', {
    '/type': 'object',
    '/properties': { Id: { type: 'integer', format: 'int64' } },
  }),
  ...facts('7', 'management', pointer(...example), {
    '/responses/401': present,
    [\`/responses/401\${json}\`]: { $ref: '#/components/schemas/Error' },
  }),
  ...entries('management', [...example, 'x-requirements'], '${name}.', { '${section}': ['200', 'order'] }),
  ...entries('management', [...example, 'x-unspecified'], '${name}.', { '${section}': ['last-page'] }),
]
`
}
