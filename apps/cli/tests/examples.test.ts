import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStated, type Operation, operations, type Resource } from '@cdn/api/contract'
import { createEmulator, type Emulator, implemented } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, onTestFinished, test } from 'vitest'
import { commands, operationExamples } from '../scripts/examples.ts'
import type { Example } from '../src/commands/program/command.ts'
import { exampleRequest } from '../src/operations/example.ts'
import { createHome, type Ended, runShell } from './support/program.ts'

/** Every example of the help, as a user types it. Each one runs against a fresh emulator with a real clock. */
const examples: (Example & { readonly operation?: string | undefined })[] = commands.flatMap(({ facts }) =>
  facts.examples.map((example) => ({ ...example, operation: facts.operation })),
)
/** Examples of operations that the emulator does not implement. They would end with 501. */
const lacking = operations
  .filter(({ name }) => !implemented.has(name))
  .map((operation) => operationExamples.get(`${operation.interface}.${operation.name}`))

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
const [readmeBlock] = blocksOf(readme)
for (const text of defined(readmeBlock).trim().split('\n')) {
  const line = text.replace(/ +#.*$/, '')
  if (!examples.some((example) => example.line === line)) examples.push({ text: 'README', line })
}
const recipes = blocksOf(await readFile(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8'))

/** The shell blocks of a page, except those that a comment excludes. */
function blocksOf(page: string): string[] {
  return [...page.matchAll(/(?<!not run: [^\n]*\n)^```sh\n(.*?)^```$/gms)].map(([, block]) => defined(block))
}

test('every command has an example', () => {
  expect(commands.filter(({ facts }) => facts.examples.length === 0).map(({ path }) => path.join(' '))).toEqual([])
  expect(examples.length).toBeGreaterThan(20)
})

const runnable = examples.filter(({ line }) => !lacking.includes(line))

test.each(runnable.map((example) => [example.line, example] as const))('%s', async (_line, example) => {
  const { home, emulator } = await createSurroundings(example.line)
  const { isEndless } = example
  let isInterrupted = false
  const line = await withNewItems(example, emulator, (creation) => runShell(creation, home))
  const { code, out, err } = await runShell(isEndless ? `exec ${line}` : line, home, (child) => {
    if (isEndless && !isInterrupted) child.kill('SIGINT')
    isInterrupted = true
  })
  expect(code, err).toBe(isEndless ? 130 : 0)
  expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
})

test('the page has ten recipes', () => expect(recipes).toHaveLength(10))

test.each(recipes)('the recipe\n%s', async (recipe) => {
  const { home, emulator } = await createSurroundings('')
  const { code, out, err } = await runShell(`set -e\n${recipe}`, home)
  expect(code, err).toBe(0)
  expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
})

/** An emulator with a real clock, and a shell whose `cdn` uses it. */
async function createSurroundings(line: string) {
  const emulator = await createEmulator({ clock: 'real' })
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const { accessKey } = emulator.fixtures.credentials
  const addresses = { CDN_MANAGEMENT_URL: managementUrl.href, CDN_LOGGING_URL: loggingUrl.href }
  // A login without addresses is for the public platform. Its request reaches the emulator.
  const isPublic = /auth login/.test(line) && !/-url /.test(line)
  const home = await createHome({ CDN_ACCESS_KEY: accessKey, ...(!isPublic && addresses) })
  if (isPublic) {
    const redirect = `const { fetch } = globalThis
globalThis.fetch = ({ url, headers }) => fetch(new URL(new URL(url).pathname, '${managementUrl.href}'), { headers })`
    await writeFile(join(home.folder, 'redirect.mjs'), redirect)
    home.env['NODE_OPTIONS'] = `--import ${join(home.folder, 'redirect.mjs')}`
  }
  await writeFile(join(home.folder, 'key.txt'), `${accessKey}\n`)
  await copyFile(emulator.fixtures.watermarkFile, join(home.folder, 'watermark.png'))
  return { home, emulator }
}

/**
 * Returns the line of an example with the ids of new items, if the contract can create them: the emulator starts with items of few
 * areas. The example of each creation runs before, for example that of an order before that of a part of the order.
 */
async function withNewItems(
  { line, operation: name }: (typeof examples)[number],
  emulator: Emulator,
  run: (line: string) => Promise<Ended>,
): Promise<string> {
  const operation = operations.find((each) => `${each.interface}.${each.name}` === name)
  if (!operation || !isStated(operation)) return line
  const path = exampleRequest(operation).path.map(([parameter, value]) => [parameter.name, String(value)] as const)
  const ids = new Map(path)
  const steps = operation.path.split('/')
  for (const { path: collection, id = '', creation } of creationsOf(operation.resource)) {
    const depth = collection.split('/').length
    const [parameter] = /(?<=^\{).+(?=\}$)/.exec(steps[depth] ?? '') ?? []
    if (!creation || parameter === undefined) continue
    const at = steps.slice(0, depth).map((step) => ids.get(step.slice(1, -1)) ?? step)
    const outer = exampleRequest(creation).path.map(([, value]) => String(value))
    const example = defined(operationExamples.get(`${creation.interface}.${creation.name}`))
    const own = [...ids.values()].slice(0, outer.length)
    const { code, err } = await run(example.replace(` ${outer.join(' ')}`, ` ${own.join(' ')}`))
    expect(code, err).toBe(0)
    ids.set(parameter, String(emulator.state.resources.all[at.join('/')]?.at(-1)?.[id]))
  }
  const given = path.map(([, value]) => value)
  return line.replace(` ${given.join(' ')}`, ` ${[...ids.values()].join(' ')}`)
}

/** A resource and those that contain it, the outermost first, each with the operation that creates its items. */
function creationsOf(resource: Resource): (Resource & { readonly creation: Operation | undefined })[] {
  const creation = operations.find((each) => each.action?.kind === 'create' && each.resource === resource)
  return [...(resource.parent ? creationsOf(resource.parent) : []), { ...resource, creation }]
}
