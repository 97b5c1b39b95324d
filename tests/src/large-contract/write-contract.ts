/** Writes a contract with up to 100 additional operations, in ten areas of ten operations each. Future areas could be similar. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Json = Readonly<Record<string, unknown>>

const allAreas = [
  'Cache Rule',
  'Load Balancer',
  'Edge Script',
  'Image Class',
  'Origin Group',
  'Health Check',
  'Access List',
  'Log Target',
  'Team Member',
  'Webhook',
] as const

const int64 = { type: 'integer', format: 'int64' }
const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
const refused = { $ref: 'openapi.yaml#/components/schemas/Error' }
const answers = (...successes: readonly (readonly [string, Json?])[]) => ({
  ...Object.fromEntries(
    successes.map(([status, schema]) => [status, { description: `Answered ${status}.`, ...(schema && json(schema)) }]),
  ),
  '400': { description: 'The request is not valid.', ...json(refused) },
  '401': { description: 'Request authorization failed.', ...json(refused) },
  '404': { description: 'The item does not exist.', ...json(refused) },
})

/**
 * Returns the ten operations of an area. Each has the key of the path item, the rest of the path, method, name, effect, and special
 * features.
 */
function operationsOf(slug: string, record: Json) {
  const id = { name: 'id', in: 'path', required: true, description: 'Which one.', schema: int64 }
  const query = (name: string, schema: Json, required = false) => ({
    name,
    in: 'query',
    required,
    description: `The ${name}.`,
    schema,
  })
  const page = [
    query('page', { type: 'integer', minimum: 1 }),
    query('perPage', { type: 'integer', minimum: 5, maximum: 1000 }),
  ]
  const list = {
    type: 'object',
    required: ['Items', 'HasMoreItems'],
    properties: { Items: { type: 'array', items: record }, HasMoreItems: { type: 'boolean' } },
  }
  const filter = { type: 'array', items: { type: 'string', enum: ['on', 'off', 'draft'] }, minItems: 1 }
  const range = {
    type: 'object',
    required: ['Kind', 'From'],
    properties: { Kind: { const: 'range' }, From: int64, To: { type: ['integer', 'null'], format: 'int64' } },
  }
  const exact = {
    type: 'object',
    required: ['Kind', 'Value'],
    properties: { Kind: { const: 'exact' }, Value: { type: 'string' } },
  }
  const raw = {
    required: true,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  }
  const body = (schema: Json) => ({ requestBody: { required: true, ...json(schema) } })
  return [
    ['all', '', 'get', `list-${slug}`, 'read', { parameters: page, responses: answers(['200', list]) }],
    ['all', '', 'post', `create-${slug}`, 'write', { ...body(record), responses: answers(['201', record]) }],
    ['one', '/{id}', 'get', `get-${slug}`, 'read', { parameters: [id], responses: answers(['200', record]) }],
    [
      'one',
      '/{id}',
      'put',
      `replace-${slug}`,
      'write',
      { parameters: [id], ...body(record), responses: answers(['200', record], ['201', record]) },
    ],
    [
      'one',
      '/{id}',
      'patch',
      `change-${slug}`,
      'write',
      {
        parameters: [id],
        ...body({
          type: 'object',
          minProperties: 1,
          properties: { Name: { type: ['string', 'null'] }, Weight: { type: 'integer' } },
        }),
        responses: answers(['200', record], ['204']),
      },
    ],
    ['one', '/{id}', 'delete', `delete-${slug}`, 'destructive', { parameters: [id], responses: answers(['204']) }],
    [
      'search',
      '/search',
      'get',
      `search-${slug}`,
      'read',
      {
        parameters: [query('state', filter, true), query('ids', { type: 'array', items: int64 }), ...page],
        responses: answers(['200', list]),
      },
    ],
    [
      'match',
      '/{id}/match',
      'post',
      `match-${slug}`,
      'write',
      {
        parameters: [id],
        ...body({ oneOf: [range, exact] }),
        responses: answers(['200', { oneOf: [record, { type: 'null' }] }], ['202']),
      },
    ],
    [
      'icon',
      '/{id}/icon',
      'put',
      `upload-${slug}-icon`,
      'write',
      { parameters: [id], requestBody: raw, responses: answers(['200', { type: 'object' }], ['204']) },
    ],
    [
      'icon',
      '/{id}/icon',
      'delete',
      `delete-${slug}-icon`,
      'destructive',
      { parameters: [id], responses: answers(['204']) },
    ],
  ] as const
}

/**
 * Writes the areas into a copy of the repository and links them.
 *
 * @param folder the copy
 * @param count number of areas, 1 to 10
 * @returns a program that calls every operation with types
 */
export function writeContract(folder: string, count: number = allAreas.length): string {
  const areas = allAreas.slice(0, count)
  const openapi = join(folder, 'specs/management/openapi.yaml')
  const links: string[] = []
  const calls = areas.flatMap((area) => {
    const slug = area.toLowerCase().replace(' ', '-')
    const schema = area.replace(' ', '')
    const items = new Map<string, Record<string, unknown>>()
    const used = operationsOf(slug, { $ref: `#/components/schemas/${schema}` }).map(
      ([key, rest, method, name, effect, shape]) => {
        const item = items.get(key) ?? {}
        const text = `${name} of the area ${area}.`
        const words = { 'x-name': name, 'x-effect': effect }
        items.set(key, { ...item, [method]: { tags: [area], summary: name, description: text, ...words, ...shape } })
        const path = `/${slug}${rest}`
        links.push(`  ${path}:\n    $ref: ${slug}.yaml#/${key}\n`)
        return callOf(method, path, schema)
      },
    )
    // JSON is YAML, so a path item fits on one line.
    const lines = [...items].map(([key, item]) => `${key}: ${JSON.stringify(item)}`)
    const components = { schemas: { [schema]: recordOf(schema) } }
    writeFileSync(
      join(folder, `specs/management/${slug}.yaml`),
      [...lines, `components: ${JSON.stringify(components)}`, ''].join('\n'),
    )
    return used
  })
  const yaml = readFileSync(openapi, 'utf8')
  const tags = areas.map((area) => `  - name: ${area}\n`).join('')
  const linked = yaml
    .replace('\ntags:\n', `\ntags:\n${tags}`)
    .replace('\npaths:\n', `\npaths:\n${[...new Set(links)].join('')}`)
  writeFileSync(openapi, linked)
  return program(calls)
}

/** Returns the schema of a record with nested objects, null, lists, dates and a 64-bit id. */
function recordOf(name: string): Json {
  const address = {
    type: 'object',
    required: ['Host'],
    properties: { Host: { type: 'string', minLength: 1 }, Port: { type: ['integer', 'null'] } },
  }
  return {
    description: `A ${name}.`,
    type: 'object',
    required: ['Id', 'Name', 'Targets'],
    properties: {
      Id: int64,
      Name: { type: 'string', minLength: 1, maxLength: 200 },
      Weight: { type: 'number', minimum: 0 },
      CreatedAt: { type: ['string', 'null'], format: 'date-time' },
      Targets: {
        type: 'array',
        items: {
          type: 'object',
          required: ['Address'],
          properties: { Address: address, Tags: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  }
}

function callOf(method: string, path: string, schema: string): string {
  const parameters = [
    ...(path.includes('{id}') ? ['path: { id: 9007199254740993n }'] : []),
    ...(path.endsWith('/search') ? ["query: { state: ['on', 'off'], ids: [1, 2n], perPage: 100 }"] : []),
  ]
  const record = `{ Id: 1, Name: '${schema}', Targets: [{ Address: { Host: 'a.invalid', Port: null } }] }`
  const isRecord = (method === 'post' && !path.endsWith('match')) || (method === 'put' && !path.endsWith('icon'))
  const body =
    path.endsWith('/icon') && method === 'put'
      ? 'new Uint8Array(3)'
      : path.endsWith('/match')
        ? "{ Kind: 'range', From: 1, To: null }"
        : method === 'patch'
          ? '{ Name: null }'
          : isRecord
            ? record
            : ''
  const options = [
    ...(parameters.length > 0 ? [`params: { ${parameters.join(', ')} }`] : []),
    ...(body ? [`body: ${body}`] : []),
  ]
  return `await client.${method.toUpperCase()}('${path}'${options.length > 0 ? `, { ${options.join(', ')} }` : ''})`
}

function program(calls: readonly string[]): string {
  return `import { createManagementClient } from '@cdn/api'
export const client = createManagementClient({ accessKey: 'k' })
${calls.join('\n')}
const { data } = await client.GET('/cache-rule')
data?.Items[0]?.Targets[0]?.Address.Host.toUpperCase()
// @ts-expect-error: no such operation
await client.DELETE('/cache-rule')
// @ts-expect-error: a list is required
await client.GET('/cache-rule/search')
// @ts-expect-error: the wrong choice
await client.POST('/cache-rule/{id}/match', { params: { path: { id: 1 } }, body: { Kind: 'exact', From: 1 } })
// @ts-expect-error: null is not allowed
await client.PATCH('/cache-rule/{id}', { params: { path: { id: 1 } }, body: { Weight: null } })
`
}
