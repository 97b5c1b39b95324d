/** A foreign contract cannot run code or read other files. An unusable one is refused in one sentence, and changes nothing. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importContract } from '../../../specs/tools/import/contract.ts'
import { readForeign } from '../../../specs/tools/import/read.ts'
import { toolEnvironment } from '../../../specs/tools/redocly.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { runIn } from '../run-in.ts'

let sandbox: Sandbox
/** A folder with secrets, and the folder of the contracts in it. */
const outside = mkdtempSync(join(tmpdir(), 'hostile-'))
const folder = join(outside, 'contracts')
const secret = 'canary-of-another-file'
beforeAll(() => {
  sandbox = createSandbox()
  mkdirSync(join(folder, 'folder.yaml'), { recursive: true })
  for (const file of ['secret.yaml', 'contracts/.env', 'contracts/notes.txt'])
    writeFileSync(join(outside, file), `type: ${secret}\n`)
  symlinkSync(join(outside, 'secret.yaml'), join(folder, 'link.yaml'))
})
afterAll(() => {
  sandbox.close()
  rmSync(outside, { recursive: true })
})

const answer = { '200': { description: 'Fine.', content: { 'application/json': { schema: { type: 'object' } } } } }
const get = (more: object = {}) => ({ get: { responses: answer, ...more } })
const body = (schema: object) =>
  get({ responses: { '200': { description: 'Fine.', content: { 'application/json': { schema } } } } })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const zone = (name: string) => get({ parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }] })
const nested = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`

const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
const key = (name: string) => ({ components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } } })
const at = (url: string) => ({ ...get(), servers: [{ url }] })
/** Nine levels of nine aliases: 400 million values. */
const bomb = `x-0: &a0 [1]\n${Array.from({ length: 9 }, (_, level) => `x-${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`)}]\n`).join('')}`
const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('')

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
  ['empty.yaml', '', 'it is not an object'],
  ['words.yaml', 'just words', 'it is not an object'],
  ['truncated.json', fine.slice(0, 90), 'it is not valid YAML or JSON: Missing closing'],
  ['two.yaml', 'a: 1\n---\nb: 2\n', 'multiple documents'],
  ['twice.yaml', 'paths: {}\npaths: {}\n', 'an object states a key twice'],
  ['merge.yaml', 'a: &a { b: 1 }\nc: { <<: *a }\n', 'a key << is of YAML 1.1'],
  ['bomb.yaml', bomb, 'Excessive alias count'],
  ['aliases.yaml', `a: &a 1\nb: [${'*a, '.repeat(1001)}]\n`, 'it has more than 1000 aliases'],
  ['keys.yaml', `${keys}k1: 1\n`, 'an object states a key twice'],
  ['large.json', `{"a":"${'x'.repeat(33 << 20)}"}`, 'it has more than 32 MiB'],
  ['values.json', `[${'0,'.repeat(4_000_000)}0]`, 'it has more than 4000000 values'],
  ['nested.json', nested, 'it is nested too deeply'],
  ['swagger.yaml', 'swagger: "2.0"\ninfo: { title: a, version: "1" }\npaths: {}\n', 'it is Swagger 2.0'],
  ['no-operation.json', contract({}), 'it states no operation'],
  ['no-target.json', contract({ '/a': body(reference('None')) }), 'the reference "#/components/schemas/None" does not'],
  ['cycle.json', contract({ '/a': { $ref: '#/paths/~1a' } }), 'is part of a cycle'],
  ['backticks.json', contract({ '/a': get() }, key('X-`touch$IFS$9PWN`')), 'is not the name of a header'],
  ['slash.json', contract({ '/a': get({ parameters: [header('X-/')] }) }), '"X-/" is not the name of a header'],
  ['response.json', contract({ '/a': get({ responses: { 200: { headers: { 'a b': {} } } } }) }), '"a b" is not'],
  [
    'proto.json',
    contract({ '/a': get() }, schemas(JSON.parse('{"__proto__":{}}'))),
    'schema name __proto__ is reserved',
  ],
  ['constructor.json', contract({ '/a': get() }, schemas({ constructor: {} })), 'schema name constructor is reserved'],
  [
    'two-hosts.json',
    contract({ '/a': at('https://a.invalid'), '/b': at('https://b.invalid') }),
    'has a server of its own',
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

async function convert(name: string): Promise<string> {
  const options = { name: 'hostile', source: 'a file [C]', names: new Map<string, string>(), namespace: '' }
  return JSON.stringify(importContract((await readForeign(join(folder, name))).foreign, options))
}

test.each(files)('%s is refused', async (name, text, says) => {
  if (text !== undefined) writeFileSync(join(folder, name), text)
  const error: unknown = await convert(name).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(RangeError)
  const { message } = error as RangeError
  expect(message).toContain(says)
  expect(message).not.toMatch(/\n|secret@|canary/)
})

/** Writes a contract whose reference to another file is the given text. */
function referring(reference: string): string {
  return contract({ '/a': body({ $ref: reference }) })
}

test.each([
  ['/etc/passwd', 'is not the relative path of a file'],
  ['file:///etc/passwd', 'is not the relative path of a file'],
  ['//127.0.0.1/a.json', 'is not the relative path of a file'],
  ['HTTP://127.0.0.1:9/a.json', 'is not the relative path of a file'],
  ['c:\\a.yaml', 'is not the relative path of a file'],
  ['../secret.yaml', 'leaves the folder'],
  ['%2e%2e/secret.yaml', 'leaves the folder'],
  ['./folder.yaml/../../secret.yaml#/type', 'leaves the folder'],
  ['link.yaml', 'leaves the folder'],
  ['.env', 'is not the name of a YAML or JSON file'],
  ['notes.txt', 'is not the name of a YAML or JSON file'],
  ['folder.yaml', 'does not resolve'],
  ['absent.yaml', 'does not resolve'],
  ['%ff.yaml', 'does not resolve'],
  ['a%00.yaml', 'does not resolve'],
  [`${'x'.repeat(5000)}.yaml`, 'does not resolve'],
  ['#/components/schemas/%ff', 'does not resolve'],
  ['#anchor', 'does not resolve'],
])('the reference %s is refused wherever it is', async (reference, says) => {
  const escaped = JSON.stringify(reference)
  const texts = {
    'schema.json': referring(reference),
    'text.json': contract({ '/a': get({ description: { $ref: reference } }) }),
    'data.json': contract({ '/a': body({ type: 'object', default: { deep: [{ $ref: reference }] } }) }),
    'escaped.yaml': `openapi: 3.0.3\n"x-\\u0061": { "\\x24ref": ${escaped} }\n`,
    'control.yaml': `openapi: 3.0.3\nx-a: { "$re\\x01f": ${escaped} }\n`,
    'second-file.json': referring('second/part.yaml'),
  }
  mkdirSync(join(folder, 'second'), { recursive: true })
  const inSecond = /^[.\w%]/.test(reference) && !/^\w+:/.test(reference) ? `../${reference}` : reference
  writeFileSync(join(folder, 'second/part.yaml'), `properties: { a: { $ref: ${JSON.stringify(inSecond)} } }\n`)
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(folder, name), text)
    await expect(convert(name), name).rejects.toThrow(says)
  }
})

test('a discriminator cannot name another file, and other kinds of references are not read', async () => {
  const mapping = (target: string) =>
    contract({ '/a': body({ oneOf: [], discriminator: { propertyName: 'a', mapping: { b: target } } }) })
  writeFileSync(join(folder, 'mapping.json'), mapping('../secret.yaml'))
  await expect(convert('mapping.json')).rejects.toThrow('leaves the folder')
  const links = {
    $id: 'file:///etc/',
    $schema: '/etc/passwd',
    externalValue: '../secret.yaml',
    $dynamicRef: '/etc/passwd',
  }
  const parameters = [{ name: 'a', in: 'query', schema: { type: 'string' }, examples: { one: links } }]
  writeFileSync(join(folder, 'links.json'), contract({ '/a': { ...body({ ...links, default: links }), parameters } }))
  expect(await convert('links.json')).not.toMatch(/etc|secret|externalValue/)
})

test('the files of a contract become one, and programs next to it are not run', async () => {
  const ran = join(outside, 'ran')
  const program = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = { id: 'x' }`
  const texts = {
    'plugin.cjs': program,
    'redocly.yaml': 'plugins: [./plugin.cjs]\nextends: [recommended]\n',
    'openapi.yaml': contract({ '/a': body({ $ref: './parts/a%20zone.yaml' }), '/b': { $ref: './redocly.json#/b' } }),
    'redocly.json': JSON.stringify({ b: body({ $ref: 'parts/a zone.yaml#/properties/Name' }) }),
    'parts/a zone.yaml':
      'type: object\nproperties: { Name: { type: string }, Above: { $ref: "#" }, Root: { $ref: "../openapi.yaml#/info/title" } }\n',
  }
  mkdirSync(join(folder, 'parts'), { recursive: true })
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const { foreign, notes } = await readForeign(join(folder, 'openapi.yaml'))
  expect(Object.keys(Object(foreign['paths']))).toEqual(['/a', '/b'])
  expect(notes).toEqual(['It refers to other files, which are imported with it: a_zone.json, redocly.json.'])
  expect(await convert('openapi.yaml')).toContain('"Name":{"type":"string"}')
  expect(existsSync(ran)).toBe(false)
  expect(Object.keys(toolEnvironment).filter((name) => !/^(PATH|TMPDIR|REDOCLY_.*)$/.test(name))).toEqual([])
})

const script = 'specs/tools/scripts/import-contract.ts'

test('the command prints one sentence, and the repository is unchanged', () => {
  for (const [name, says] of [
    ['nested.json', 'it is nested too deeply'],
    ['secret-server.json', 'its server contains a credential'],
  ] as const) {
    const { code, stdout, output } = runIn(sandbox.folder, '.', [script, join(folder, name), '--as', 'hostile'])
    expect(output.trimEnd().split('\n')).toEqual([expect.stringContaining(`Cannot import ${name}: ${says}`)])
    expect([code, stdout]).toEqual([2, ''])
  }
  expect(status()).toBe('')
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
  [['a.json', '--as', 'x', '--into', 'logging', '--credential', 'a'], '--server and --credential exclude --into'],
  [['--remove', 'absent'], 'No contract was imported as absent.'],
  [['--remove', 'management'], 'The spec describes the interface management'],
  [['--remove', 'x', '--as', 'x'], 'Only --into can be combined with --remove'],
])('%j is refused in one sentence', (args, says) => {
  const { code, output } = runIn(sandbox.folder, '.', [script, ...args])
  expect(output.trimEnd().split('\n')).toEqual([expect.stringContaining(says)])
  expect(code).toBe(2)
  expect(status()).toBe('')
})

test('--help explains each option', () => {
  const { code, stdout } = runIn(sandbox.folder, '.', [script, '--help'])
  expect(code).toBe(0)
  for (const option of ['--as', '--server', '--credential', '--into', '--remove'])
    expect(stdout).toContain(`  ${option} `)
})

/** Returns the output of `git status`. The files of this test are in `dist/`, which git ignores. */
function status(): string {
  return git('status', '--porcelain')
}

function git(...args: string[]): string {
  const script = `process.stdout.write(require('node:child_process').execFileSync('git', ${JSON.stringify(args)}))`
  return runIn(sandbox.folder, '.', ['--input-type=commonjs', '--eval', script]).stdout
}
