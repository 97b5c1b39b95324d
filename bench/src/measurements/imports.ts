import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyRepository } from '../../../tests/src/copy.ts'
import { digits, type Measurement } from '../row.ts'

/** Numbers of operations, each with the maximum time of the import on an idle machine in ms. */
const bounds = [
  [100, 10_000],
  [4_000, 60_000],
] as const

/** Measures the import of a contract: read, bundle, lint, generate and type-check. */
export const imports: Measurement = {
  name: 'imports',
  async run() {
    const copy = copyRepository()
    try {
      mkdirSync(join(copy, 'dist'))
      return bounds.map(([operations, bound]) => {
        const file = join(copy, `dist/large-${operations}.json`)
        writeFileSync(file, contractOf(operations))
        const start = performance.now()
        const script = 'specs/tools/scripts/import-contract.ts'
        const args = [script, file, '--as', `large-${operations}`]
        execFileSync(process.execPath, args, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
        const ms = performance.now() - start
        return {
          what: `import of ${operations} operations`,
          ours: `${digits(ms / 1000)} s`,
          peer: '',
          bound: `at most ${bound / 1000} s`,
          met: ms <= bound,
        }
      })
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  },
}

/** Generates a contract with four operations, and a schema of 25 fields, per resource. */
function contractOf(operations: number): string {
  const paths: Record<string, object> = {}
  const schemas: Record<string, object> = {}
  for (let index = 0; index < operations / 4; index++) {
    const name = `Thing${index}`
    const tags = [`Area ${index % 40}`]
    const thing = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
    const list = { 'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } } }
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }]
    const refused = { '401': { description: 'The credential is refused.' }, '404': { description: 'Not there.' } }
    const page = { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } }
    const operation = (verb: string, more: object) => ({ tags, summary: `${verb} ${name}`, ...more })
    paths[`/${name}`] = {
      get: operation('List', { parameters: [page], responses: { '200': { description: 'A page.', content: list } } }),
      post: operation('Create', {
        requestBody: { required: true, content: thing },
        responses: { '201': { description: 'Created.', content: thing }, ...refused },
      }),
    }
    paths[`/${name}/{id}`] = {
      parameters,
      get: operation('Get', { responses: { '200': { description: 'It.', content: thing }, ...refused } }),
      delete: operation('Delete', { responses: { '204': { description: 'Deleted.' }, ...refused } }),
    }
    schemas[name] = { type: 'object', required: ['Field0'], properties: fieldsOf(index) }
  }
  const info = { title: 'Large', version: '1' }
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'LargeKey' } }
  const servers = [{ url: 'https://large.invalid/v1' }]
  const contract = { openapi: '3.0.3', info, servers, security: [{ key: [] }], paths }
  return JSON.stringify({ ...contract, components: { schemas, securitySchemes } })
}

function fieldsOf(index: number): object {
  const kinds = [
    { type: 'string', description: 'A text.' },
    { type: 'integer', format: 'int64', nullable: true },
    { type: 'string', enum: ['on', 'off', `kind-${index}`] },
    { type: 'array', items: { type: 'string', format: 'date-time' } },
    { $ref: `#/components/schemas/Thing${Math.floor(index / 2)}` },
  ]
  return Object.fromEntries(Array.from({ length: 25 }, (_, field) => [`Field${field}`, kinds[field % kinds.length]]))
}
