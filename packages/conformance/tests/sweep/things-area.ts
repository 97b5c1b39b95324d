/** Adds an area to the contract of this process, as the YAML of a new area would. Load it before anything else, with `--import`. */
import { registerHooks } from 'node:module'

const json = (schema: object) => ({ 'application/json': { schema } })
const thing = {
  type: 'object',
  properties: { Id: { type: 'integer', format: 'int64' }, Name: { type: 'string' }, Size: { type: 'integer' } },
}
const page = {
  type: 'object',
  required: ['Items', 'CurrentPage', 'TotalItems', 'HasMoreItems'],
  properties: {
    Items: { type: 'array', items: thing },
    CurrentPage: { type: 'integer' },
    TotalItems: { type: 'integer' },
    HasMoreItems: { type: 'boolean' },
  },
}
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
const number = (name: string) => ({ name, in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000 } })
const refused = { description: 'Refused.' }
const operation = (name: string, effect: string, rest: object) => ({
  ...{ tags: ['Things'], summary: name, description: name, 'x-name': name, 'x-effect': effect },
  ...{ security: [{ AccessKey: [] }], 'x-source': 'supplement' },
  ...rest,
})
const paths = {
  '/things': {
    get: operation('list-things', 'read', {
      parameters: [number('page'), number('perPage')],
      responses: { 200: { description: 'A page.', content: json(page) }, 401: refused },
    }),
    post: operation('add-thing', 'write', {
      'x-change': 'create',
      requestBody: {
        required: true,
        content: json({
          type: 'object',
          required: ['Name'],
          properties: { Name: { type: 'string', minLength: 1 }, Size: { type: 'integer' } },
        }),
      },
      responses: { '2XX': { description: 'Created.' }, 400: refused, 401: refused },
    }),
  },
  '/things/{id}': {
    'x-resource': { name: 'thing', id: 'Id' },
    get: operation('get-thing', 'read', {
      parameters: [id],
      responses: { 200: { description: 'A thing.', content: json(thing) }, 404: refused, 401: refused },
    }),
    delete: operation('delete-thing', 'destructive', {
      'x-change': 'delete',
      parameters: [id],
      responses: { 204: { description: 'Deleted.' }, 404: refused, 401: refused },
    }),
  },
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/gen/management.full.json')) return loaded
    const contract = JSON.parse(String(loaded.source))
    return { ...loaded, source: JSON.stringify({ ...contract, paths: { ...contract.paths, ...paths } }) }
  },
})
