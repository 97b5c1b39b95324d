import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contracts, operations } from '@cdn/api/contract'
import { createEmulator, implemented } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, onTestFinished, test } from 'vitest'
import { operationExamples } from '../scripts/docs.ts'
import { allCommands, type Example } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'
import { createHome, runShell } from './support/program.ts'

/** Every example of the help, as a user types it. Each one runs against a fresh emulator with a real clock. */
const examples: Example[] = []
/** Examples of operations that the emulator does not implement. They would end with 501. */
const lacking = operations
  .filter(({ name }) => !implemented.has(name))
  .map((operation) => operationExamples.get(`${operation.interface}.${operation.name}`))
for await (const { entry } of allCommands(root)) if (entry.kind === 'command') examples.push(...entry.examples)

/** The examples of the README that are not in the help. */
const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
const block = defined(/(?<=^```sh\n).*?(?=^```$)/ms.exec(readme))[0]
for (const text of block.trim().split('\n')) {
  const line = text.replace(/ +#.*$/, '')
  if (!examples.some((example) => example.line === line)) examples.push({ text: 'README', line })
}

test('every command has an example', async () => {
  const without: string[] = []
  for await (const { path, entry } of allCommands(root)) {
    if (entry.kind === 'command' && entry.examples.length === 0) without.push(path.join(' '))
  }
  expect(without).toEqual([])
  expect(examples.length).toBeGreaterThan(20)
})

/** Imported interfaces are left out: the emulator serves only those of the specification. */
const imported = Object.values(contracts).filter(({ source }) => source === 'supplement')
const runnable = examples.filter(
  ({ line }) => !lacking.includes(line) && !imported.some((contract) => line.startsWith(`cdn ${contract.interface} `)),
)

test.each(runnable.map((example) => [example.line, example] as const))('%s', async (_line, example) => {
  const emulator = await createEmulator({ clock: 'real' })
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const { accessKey } = emulator.fixtures.credentials
  const addresses = { CDN_MANAGEMENT_URL: managementUrl.href, CDN_LOGGING_URL: loggingUrl.href }
  // A login without addresses is for the public platform. Its request reaches the emulator.
  const isPublic = /auth login/.test(example.line) && !/-url /.test(example.line)
  const home = await createHome({ CDN_ACCESS_KEY: accessKey, ...(!isPublic && addresses) })
  if (isPublic) {
    const redirect = `const { fetch } = globalThis
globalThis.fetch = ({ url, headers }) => fetch(new URL(new URL(url).pathname, '${managementUrl.href}'), { headers })`
    await writeFile(join(home.folder, 'redirect.mjs'), redirect)
    home.env['NODE_OPTIONS'] = `--import ${join(home.folder, 'redirect.mjs')}`
  }
  await writeFile(join(home.folder, 'key.txt'), `${accessKey}\n`)
  await copyFile(emulator.fixtures.watermarkFile, join(home.folder, 'watermark.png'))
  const { isEndless, exitCode = isEndless ? 130 : 0 } = example
  let isTold = false
  const { code, out, err } = await runShell(isEndless ? `exec ${example.line}` : example.line, home, (child) => {
    if (isEndless && !isTold) child.kill('SIGINT')
    isTold = true
  })
  expect(code, err).toBe(exitCode)
  expect(out + err).not.toContain(accessKeyUnless(example, accessKey))
})

/** The emulator prints its own invented key. Only the example that starts an emulator may show it. */
function accessKeyUnless({ line }: Example, accessKey: string): string {
  return line.startsWith('cdn try') ? '\0' : accessKey
}
