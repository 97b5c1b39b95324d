import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@cdn/api/contract'
import { implemented } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { commands, operationExamples } from '../scripts/examples.ts'
import type { Example } from '../src/program/command.ts'
import { wordsOf } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'
import { createShell, runShell } from './support/program.ts'

/** Every example of the help, as a user types it. Each one runs against a fresh emulator. */
const examples: Example[] = commands.flatMap(({ description }) => description.examples)
/**
 * Examples that would end with an error: of operations that the emulator does not implement, and of areas whose items must be
 * created first, such as new areas. `requests.test.ts` covers their requests.
 */
const lacking = operations
  .filter(({ name, area }) => {
    const isCreated = operations.some((other) => other.area === area && other.action?.kind === 'create')
    return isCreated || !implemented.has(name)
  })
  .map((operation) => operationExamples.get(`${operation.interface}.${operation.name}`))

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
const [readmeBlock] = blocksOf(readme)
for (const text of assertDefined(readmeBlock).trim().split('\n')) {
  const line = text.replace(/ +#.*$/, '')
  if (!examples.some((example) => example.line === line)) examples.push({ text: 'README', line })
}
const recipes = blocksOf(await readFile(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8'))

/** The shell blocks of a page, except those that a comment excludes. */
function blocksOf(page: string): string[] {
  return [...page.matchAll(/(?<!not run: [^\n]*\n)^```sh\n(.*?)^```$/gms)].map(([, block]) => assertDefined(block))
}

test('every command has an example', () => {
  expect(
    commands.filter(({ description }) => description.examples.length === 0).map(({ path }) => path.join(' ')),
  ).toEqual([])
  expect(examples.length).toBeGreaterThan(20)
})

const runnable = examples.filter(({ line }) => !lacking.includes(line))

/** Lines that only a shell can run: with a pipe, a file or a variable, and those that open or configure a shell. */
const isForShell = (line: string) => /[|<>$&]|^cdn (try|completion)/m.test(line)

test.each(runnable.filter(({ line }) => !isForShell(line)))('the example $line', async ({ line, isEndless }) => {
  const { run, emulator } = await createPlatform()
  const folder = temporaryFolder(onTestFinished)
  await copyFile(emulator.fixtures.watermarkFile, join(folder, 'watermark.png'))
  const inFolder = wordsOf(line)
    .slice(1)
    .map((word) => (word === '@watermark.png' ? `@${join(folder, 'watermark.png')}` : word))
  const setting = { env: { HOME: folder }, ...(isEndless && { interruptWhen: () => true }) }
  const { code, out, err } = await run(/logs download/.test(line) ? [...inFolder, '-f', '-'] : inFolder, setting)
  expect(code, err).toBe(isEndless ? 130 : 0)
  expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
})

test.each(runnable.filter(({ line }) => isForShell(line)))('in a shell: the example $line', async ({ line }) => {
  const { home, emulator } = await createHome(line)
  const { code, out, err } = await runShell(line, home)
  expect(code, err).toBe(0)
  expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
})

test('the page has ten recipes', () => expect(recipes).toHaveLength(10))

test.each(recipes.filter((recipe) => !isForShell(recipe)))('the recipe\n%s', async (recipe) => {
  const { run, emulator } = await createPlatform()
  const HOME = temporaryFolder(onTestFinished)
  for (const line of recipe.trim().split('\n')) {
    const { code, out, err } = await run(wordsOf(line).slice(1), { env: { HOME } })
    expect(code, err).toBe(0)
    expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
  }
})

test.each(recipes.filter(isForShell))('in a shell: the recipe\n%s', async (recipe) => {
  const { home, emulator } = await createHome('')
  const { code, out, err } = await runShell(`set -e\n${recipe}`, home)
  expect(code, err).toBe(0)
  expect(out + err).not.toContain(emulator.fixtures.credentials.accessKey)
})

/** A shell with the files that examples read. */
async function createHome(line: string) {
  // A login without addresses is for the public platform. Its request reaches the emulator.
  const isPublic = /auth login/.test(line) && !/-url /.test(line)
  const { home, emulator, managementUrl } = await createShell(!isPublic)
  if (isPublic) {
    const redirect = `const { fetch } = globalThis
globalThis.fetch = ({ url, headers }) => fetch(new URL(new URL(url).pathname, '${managementUrl.href}'), { headers })`
    await writeFile(join(home.folder, 'redirect.mjs'), redirect)
    home.env['NODE_OPTIONS'] = `--import ${join(home.folder, 'redirect.mjs')}`
  }
  await writeFile(join(home.folder, 'key.txt'), `${emulator.fixtures.credentials.accessKey}\n`)
  await copyFile(emulator.fixtures.watermarkFile, join(home.folder, 'watermark.png'))
  return { home, emulator }
}
