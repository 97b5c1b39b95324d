/** An unusable contract is refused in one sentence, and the repository is unchanged. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { runIn } from '../run-in.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = createSandbox()
  mkdirSync(join(sandbox.folder, 'dist/folder.yaml'), { recursive: true })
})
afterAll(() => sandbox.close())

const script = 'specs/tools/scripts/import-contract.ts'
const answer = { '200': { description: 'Fine.', content: { 'application/json': { schema: { type: 'object' } } } } }
const get = (more: object = {}) => ({ get: { responses: answer, ...more } })
const body = (schema: object) =>
  get({ responses: { '200': { description: 'Fine.', content: { 'application/json': { schema } } } } })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const zone = (name: string) => get({ parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }] })
const nested = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`

function contract(paths: object, more: object = {}): string {
  const info = { title: 'Hostile', version: '1' }
  return JSON.stringify({ openapi: '3.0.3', info, servers: [{ url: 'https://hostile.invalid' }], paths, ...more })
}

const schemas = (all: object) => ({ components: { schemas: all } })
const fine = contract({ '/a': get() })
const server = (url: string) => contract({ '/a': get() }, { servers: [{ url }] })

/** Name of each file, its text (undefined: the file does not exist), and a part of the expected sentence. */
const files: readonly (readonly [name: string, text: string | undefined, says: string])[] = [
  ['missing.json', undefined, 'the file does not exist'],
  ['folder.yaml', undefined, 'it is not a file'],
  ['empty.yaml', '', 'must be JSON object'],
  ['words.yaml', 'just words', 'must be JSON object'],
  ['truncated.json', fine.slice(0, 90), 'unexpected end of the stream'],
  ['nested.json', nested, 'it is nested too deeply'],
  ['swagger.yaml', 'swagger: "2.0"\ninfo: { title: a, version: "1" }\npaths: {}\n', 'it is Swagger 2.0'],
  ['no-operation.json', contract({}), 'it states no operation'],
  ['url-reference.json', contract({ '/a': { $ref: 'http://127.0.0.1:9/a.json' } }), 'it refers to a URL'],
  ['no-target.json', contract({ '/a': body(reference('None')) }), "Can't resolve $ref"],
  [
    'same-id.json',
    contract({ '/a': get({ operationId: 'list' }), '/b': get({ operationId: 'list' }) }),
    'GET /a and GET /b have the same operationId "list"',
  ],
  ['undeclared.json', contract({ '/a/{id}': get() }), 'GET /a/{id} does not declare its path parameter {id}'],
  ['same-path.json', contract({ '/a/{x}': zone('x'), '/a/{y}': zone('y') }), 'have the same path'],
  ['query-path.json', contract({ '/a?b=1': get() }), '"/a?b=1" is not a path'],
  [
    'own-part.json',
    contract({ '/a': body(reference('A')) }, schemas({ A: { allOf: [reference('A'), { type: 'object' }] } })),
    'the schema A contains itself',
  ],
  [
    'mutual.json',
    contract(
      { '/a': body(reference('A')) },
      schemas({ A: { allOf: [reference('B')] }, B: { anyOf: [reference('A')] } }),
    ),
    'contains itself',
  ],
  ['relative-server.json', server('/api'), '--server https://HOST/PATH'],
  ['other-scheme.json', server('ftp://hostile.invalid'), 'is not an HTTP URL'],
  ['secret-server.json', server('https://user:secret@hostile.invalid'), 'its server contains a credential'],
]

describe('an unusable contract', () => {
  test.each(files)('%s', (name, text, says) => {
    const file = join(sandbox.folder, 'dist', name)
    if (text !== undefined) writeFileSync(file, text)
    const { code, stdout, output } = runIn(sandbox.folder, '.', [script, file, '--as', 'hostile'])
    expect(output.trimEnd().split('\n')).toEqual([expect.stringContaining(`Cannot import ${name}: `)])
    expect(output).toContain(says)
    expect([code, stdout]).toEqual([2, ''])
    expect(output).not.toMatch(/secret@| at .*\.ts:/)
    expect(status()).toBe('')
  })
})

test.each([
  [['日本.json'], 'The interface needs a name'],
  [['日本.json', '--as', '日本'], 'Invalid name "日本"'],
  [['a.json', '--as', '../management'], 'Invalid name'],
  [['a.json', '--as', 'logging'], 'The spec describes the interface logging'],
  [['a.json', '--as', 'tools'], 'The name tools is reserved'],
  [['a.json', '--as', 'x', '--into', 'stream'], 'expected management or logging'],
  [['a.json', 'b.json', '--as', 'x'], 'Expected one file'],
  [['a.json', '--as', 'x', '--force'], "Unknown option '--force'"],
])('%j is refused in one sentence', (args, says) => {
  const { code, output } = runIn(sandbox.folder, '.', [script, ...args])
  expect(output.trimEnd().split('\n')).toEqual([expect.stringContaining(says)])
  expect(code).toBe(2)
  expect(status()).toBe('')
})

/** Returns the output of `git status`. The files of this test are in `dist/`, which git ignores. */
function status(): string {
  return git('status', '--porcelain')
}

function git(...args: string[]): string {
  const script = `process.stdout.write(require('node:child_process').execFileSync('git', ${JSON.stringify(args)}))`
  return runIn(sandbox.folder, '.', ['--input-type=commonjs', '--eval', script]).stdout
}
