import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ts from 'typescript59'
import { expect } from 'vitest'
import { readForeign } from '../../../specs/tools/import/read.ts'
import { copyRepository } from '../copy.ts'
import { runIn } from '../run-in.ts'
import { type AttackClass, attacksOf, errorOf, inFolder, leaks } from './attack.ts'
import { control } from './texts.ts'

/** Files of a foreign contract by name. `openapi.yaml` is the one that is imported. */
type Files = Readonly<Record<string, string>>

const info = 'openapi: 3.0.3\ninfo: {title: Evil, version: "1"}\nservers: [{url: https://evil.invalid}]\n'
const responses = 'responses: {"200": {description: Fine.}}'
/** Creates a contract whose only operation has a description from somewhere else. */
const described = (description: string) => `${info}paths: {/a: {get: {description: ${description}, ${responses}}}}\n`
const schema = (text: string) => `${info}paths: {/a: {get: {${responses}}}}\ncomponents: {schemas: {A: ${text}}}\n`

/** What an import did: the text of its result or of its error, and what it may have left behind. */
interface Outcome {
  readonly text: string
  readonly error: unknown
}

/**
 * Reads a contract from a folder of its own. Next to the folder is `secret.yaml`, which it must not read.
 *
 * @param prepare adds more to the folder
 */
async function importFiles(
  files: Files,
  prepare: (folder: string) => Promise<unknown> = async () => {},
): Promise<Outcome> {
  return inFolder(async (parent) => {
    const folder = join(parent, 'contract')
    await mkdir(folder)
    for (const name of ['secret.yaml', 'secret.json', 'secret']) await writeFile(join(parent, name), '"CANARY"\n')
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text.replaceAll('PARENT', parent))
    await prepare(folder)
    let text = ''
    const error = await errorOf(async () => {
      text = JSON.stringify(await readForeign(join(folder, 'openapi.yaml')))
    })
    expect(existsSync(join(folder, 'PWN'))).toBe(false)
    return { text: `${text}${error ?? ''}`, error }
  })
}

const plugin = `require('node:fs').writeFileSync(__dirname + '/PWN', Object.keys(process.env).join())\nmodule.exports = { id: 'x' }\n`
const fine = described('Fine')
/** Files next to a contract that its tools would run. */
const programs: Readonly<Record<string, Files>> = {
  'a plugin in redocly.yaml': {
    'openapi.yaml': fine,
    'redocly.yaml': 'plugins: [./plugin.cjs]\n',
    'plugin.cjs': plugin,
  },
  'a plugin in .redocly.yaml': {
    'openapi.yaml': fine,
    '.redocly.yaml': 'plugins: [./plugin.cjs]\n',
    'plugin.cjs': plugin,
  },
  'a plugin in redocly.yml': { 'openapi.yaml': fine, 'redocly.yml': 'plugins: [./plugin.cjs]\n', 'plugin.cjs': plugin },
  'a plugin that extends an API': {
    'openapi.yaml': fine,
    'redocly.yaml': 'apis: {main: {root: openapi.yaml, plugins: [./plugin.cjs]}}\n',
    'plugin.cjs': plugin,
  },
  'a plugin, and a second file': {
    'openapi.yaml': described('{$ref: ./text.yaml}'),
    'text.yaml': 'Fine\n',
    'redocly.yaml': 'plugins: [./plugin.cjs]\n',
    'plugin.cjs': plugin,
  },
  'a package of its own': {
    'openapi.yaml': fine,
    'package.json':
      '{"name":"evil","main":"plugin.cjs","redocly":{"plugins":["./plugin.cjs"]},"scripts":{"postinstall":"node plugin.cjs"}}',
    'plugin.cjs': plugin,
  },
}

/** References to a file outside of the folder. */
const escapes = [
  '/etc/passwd',
  '/proc/self/environ',
  'PARENT/secret.yaml',
  'file://PARENT/secret.yaml',
  'file:PARENT/secret.yaml',
  'FILE://localhostPARENT/secret.yaml',
  '../secret.yaml',
  '../secret.json',
  '../secret',
  './../contract/../secret.yaml',
  'x/../../secret.yaml',
  '%2e%2e/secret.yaml',
  '..%2fsecret.yaml',
  '..\\\\secret.yaml',
  '../secret.yaml#/',
  ' ../secret.yaml',
  '\\t../secret.yaml',
]
const escaped = (target: string) => described(`{$ref: "${target}"}`)

const indirect: Readonly<Record<string, () => Promise<Outcome>>> = {
  'a second file': () =>
    importFiles({ 'openapi.yaml': described('{$ref: ./b.yaml}'), 'b.yaml': '$ref: ../secret.yaml\n' }),
  'an escaped key': () => importFiles({ 'openapi.yaml': described('{"\\x24ref": ../secret.yaml}') }),
  'a key by an alias': () =>
    importFiles({ 'openapi.yaml': `x-key: &key $ref\n${described('{*key : ../secret.yaml}')}` }),
  'a path item': () => importFiles({ 'openapi.yaml': `${info}paths: {/a: {$ref: ../secret.yaml}}\n` }),
  'a mapping': () =>
    importFiles({
      'openapi.yaml': schema(
        '{oneOf: [{type: object}], discriminator: {propertyName: a, mapping: {a: ../secret.yaml}}}',
      ),
    }),
  'an example': () => importFiles({ 'openapi.yaml': schema('{type: string, example: {$ref: ../secret.yaml}}') }),
  'an external value': () =>
    importFiles({ 'openapi.yaml': `${fine}components: {examples: {A: {externalValue: ../secret.yaml}}}\n` }),
  'an extension': () => importFiles({ 'openapi.yaml': `${fine}x-a: {$ref: ../secret.yaml}\n` }),
  'a symbolic link to a file': () =>
    importFiles({ 'openapi.yaml': described('{$ref: ./link.yaml}') }, (folder) =>
      symlink('../secret.yaml', join(folder, 'link.yaml')),
    ),
  'a symbolic link to a folder': () =>
    importFiles({ 'openapi.yaml': described('{$ref: ./link/secret.yaml}') }, (folder) =>
      symlink('..', join(folder, 'link')),
    ),
}

/** References to a server. URL is its address. */
const requests: Readonly<Record<string, Files>> = {
  'a reference': { 'openapi.yaml': described('{$ref: "URL/a.yaml"}') },
  capitals: { 'openapi.yaml': described('{$ref: "HTTP://ADDRESS/a.yaml"}') },
  'an escaped key': { 'openapi.yaml': described('{"\\x24ref": "URL/a.yaml"}') },
  'an escaped scheme': { 'openapi.yaml': described('{$ref: "\\x68ttp://ADDRESS/a.yaml"}') },
  'a folded line': { 'openapi.yaml': described('{$ref: "http:\\\n  //ADDRESS/a.yaml"}') },
  'no scheme': { 'openapi.yaml': described('{$ref: "//ADDRESS/a.yaml"}') },
  'a second file': { 'openapi.yaml': described('{$ref: ./b.yaml}'), 'b.yaml': '$ref: "URL/a.yaml"\n' },
  'a path item': { 'openapi.yaml': `${info}paths: {/a: {$ref: "URL/a.yaml"}}\n` },
  'a schema': { 'openapi.yaml': schema('{$ref: "URL/a.yaml#/A"}') },
  'an identifier': { 'openapi.yaml': schema('{$id: "URL/", $ref: a.yaml}') },
  'a dialect': { 'openapi.yaml': schema('{$schema: "URL/a.yaml", type: string}') },
  'a mapping': {
    'openapi.yaml': schema('{oneOf: [{type: object}], discriminator: {propertyName: a, mapping: {a: "URL/a.yaml"}}}'),
  },
  'an external value': { 'openapi.yaml': `${fine}components: {examples: {A: {externalValue: "URL/a.yaml"}}}\n` },
  'a configuration': { 'openapi.yaml': fine, 'redocly.yaml': 'extends: ["URL/a.yaml"]\n' },
}

async function request(files: Files): Promise<void> {
  const received: string[] = []
  const server = createServer((call, response) => {
    received.push(String(call.url))
    response.end('pwn: 1\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo // the server listens on a port
    const address = `127.0.0.1:${port}`
    const addressed = Object.entries(files).map(([name, text]) => [
      name,
      text.replaceAll('URL', `http://${address}`).replaceAll('ADDRESS', address),
    ])
    const { text } = await importFiles(Object.fromEntries(addressed))
    expect([received, leaks(text, ['pwn'])]).toEqual([[], []])
  } finally {
    server.close().closeAllConnections()
  }
}

const aliases = (levels: number) =>
  Array.from({ length: levels }, (_, level) =>
    level === 0
      ? 'x-0: &a0 [1,1,1,1,1,1,1,1,1]'
      : `x-${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join()}]`,
  ).join('\n')

/** Contracts that need much memory or stack. */
const bombs: Readonly<Record<string, string>> = {
  'aliases of aliases': `${aliases(8)}\n${fine}`,
  'an alias of itself': `x-a: &a [*a]\n${fine}`,
  'thousands of aliases': `x-a: &a 1\nx-b: [${Array(5000).fill('*a').join()}]\n${fine}`,
  'thousands of levels of JSON': `{"openapi":"3.0.3","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  'thousands of levels of YAML': `${fine}x-a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
  'thousands of levels of lists': `${fine}x-a:\n${Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level + 1)}-`).join('\n')} 1\n`,
  'a schema within itself': schema('{allOf: [{$ref: "#/components/schemas/A"}]}').replace(
    '{get: {',
    '{get: {x-a: {$ref: "#/components/schemas/A"}, ',
  ),
  'a reference to itself': schema('{$ref: "#/components/schemas/A"}'),
  'a file that refers to itself': described('{$ref: ./openapi.yaml}'),
  'a key twice': `${fine}paths: {}\n`,
}

/** Names of the prototype, and texts that a message or a terminal would obey. */
const names: Readonly<Record<string, string>> = {
  'the schema __proto__': `${fine}components: {schemas: {__proto__: {type: string}, A: {type: string}}}\n`,
  'the schema constructor': `${fine}components: {schemas: {constructor: {type: string}}}\n`,
  'a reference to __proto__': schema('{$ref: "#/components/schemas/__proto__"}'),
  'a reference to toString': schema('{$ref: "#/toString"}'),
  'a property __proto__': schema('{type: object, properties: {__proto__: {type: string, polluted: 1}}}'),
  'the path __proto__': `${info}paths: {__proto__: {get: {${responses}}}}\n`,
  'the method constructor': `${info}paths: {/a: {constructor: {${responses}}, get: {${responses}}}}\n`,
  'control characters in a reference': described('{$ref: "./\\e[2J\\a.yaml"}'),
  'control characters in a version': 'openapi: "\\e[2J"\n',
  'control characters in invalid YAML': '\u001b[2J: [\n',
  'no object': '"\\e[2J"\n',
}

const texts = [
  '*/ PWN0() /*',
  '`\u0024{PWN1()}`',
  "'; PWN2(); '",
  '"; PWN3(); "',
  '\u2028PWN4()',
  '<script>PWN5()</script>',
  '\\"; PWN6(); //',
  '\nPWN7()\n',
  '*\u200b/ PWN8()',
  '{{PWN9}} <?= PWN9 ?> #{PWN9}',
]
let generated: string[] = []

/** Creates an operation with a text in each place that generated sources show. */
function operationWith(text: string): object {
  const shown = { summary: text, description: text, tags: [text], operationId: text }
  const value = { type: 'string', enum: [text], default: text, description: text }
  const type = { type: 'object', title: text, properties: { [text]: { ...value, example: text } } }
  const parameters = [{ name: text, in: 'query', description: text, schema: value }]
  const answer = { description: text, content: { 'application/json': { schema: type } } }
  return { get: { ...shown, parameters, responses: { '200': answer } } }
}

/** Imports a contract with each text in each place, and reads the generated sources. */
async function openGenerated(): Promise<() => unknown> {
  const copy = copyRepository()
  const contract = JSON.stringify({
    openapi: '3.0.3',
    info: { title: texts.join(), description: texts.join(), version: '1' },
    servers: [{ url: 'https://evil.invalid' }],
    paths: Object.fromEntries(texts.map((text, index) => [`/a${index}`, operationWith(text)])),
  })
  await mkdir(join(copy, 'dist'), { recursive: true })
  await writeFile(join(copy, 'dist/evil.json'), contract)
  const { code, output } = runIn(copy, '.', [
    'specs/tools/scripts/import-contract.ts',
    'dist/evil.json',
    '--as',
    'evil',
  ])
  expect(output).toContain('written')
  expect(code).toBe(0)
  const folder = join(copy, 'packages/api/src/gen')
  generated = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  return () => rm(copy, { recursive: true })
}

/** Verifies that a text of the contract is only in comments and literals of the generated sources. */
function staysText(index: number): void {
  const name = `PWN${index}`
  expect(generated.some((source) => source.includes(name))).toBe(true)
  for (const source of generated) {
    const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      expect(ts.isIdentifier(node) && node.text === name).toBe(false)
      ts.forEachChild(node, visit)
    }
    if (source.includes(name)) visit(file)
  }
}

/** Attacks on the import of foreign contracts. */
export const importClasses: readonly AttackClass[] = [
  {
    name: 'imports: programs next to a contract',
    holds: 'no code of the folder runs',
    attacks: attacksOf(programs, (files) => importFiles(files)),
  },
  {
    name: 'imports: files of the machine',
    holds: 'no file outside of the folder is read or shown',
    attacks: [
      ...attacksOf(escapes, async (target) => {
        const { text, error } = await importFiles({ 'openapi.yaml': escaped(target) })
        expect(leaks(text, ['CANARY', 'root:', 'PATH='])).toEqual([])
        expect(error).toBeInstanceOf(RangeError)
      }),
      ...attacksOf(indirect, async (go) => {
        expect(leaks((await go()).text, ['CANARY'])).toEqual([])
      }),
    ],
  },
  {
    name: 'imports: addresses',
    holds: 'no request is sent',
    attacks: attacksOf(requests, request),
  },
  {
    name: 'imports: large contracts',
    holds: 'refused in a sentence, or read as they are',
    attacks: attacksOf(bombs, async (text) => {
      const outcome = await importFiles({ 'openapi.yaml': text })
      if (outcome.error) expect(outcome.error).toBeInstanceOf(RangeError)
      expect(outcome.text.length).toBeLessThan(1e6)
    }),
  },
  {
    name: 'imports: names',
    holds: 'refused in a sentence, or read; no prototype or terminal is touched',
    attacks: attacksOf(names, async (text) => {
      const outcome = await importFiles({ 'openapi.yaml': text })
      if (outcome.error) {
        expect(outcome.error).toBeInstanceOf(RangeError)
        expect(outcome.text).not.toMatch(control)
        expect(outcome.text).not.toContain('Cannot ')
      }
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    }),
  },
  {
    name: 'imports: texts in generated sources',
    holds: 'comments and literals only',
    isSlow: true,
    open: openGenerated,
    attacks: texts.map((text, index) => ({ name: text, run: () => staysText(index) })),
  },
]
