/** Each operation of the reference has three examples. Each runs as its reader would run it, against a fresh emulator. */
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { contracts, type Operation, operations } from '@cdn/api/contract'
import { exampleRequest } from '@cdn/cli/src/operations/example.ts'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { examplesOf, uploadFile } from '@cdn/site/examples'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { repository } from '../copy.ts'

const run = promisify(execFile)
/** The emulator serves the interfaces of the spec. */
const served = operations.filter((operation) => contracts[operation.interface].source === 'spec')
const modules = join(import.meta.dirname, '../../node_modules')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'examples-'))
  symlinkSync(modules, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'bin'))
  const cdn = join(repository, 'apps/cli/src/bin.ts')
  writeFileSync(join(folder, 'bin/cdn'), `#!/bin/sh\nexec '${process.execPath}' '${cdn}' "$@"\n`)
  chmodSync(join(folder, 'bin/cdn'), 0o755)
  // curl succeeds whatever the status is, unless it is told otherwise.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cases = served.flatMap((operation) =>
  examplesOf(operation).map(([title, language, text]) => ({ name: operation.name, title, language, text, operation })),
)

test('every operation has an example for each of the three', () => {
  const titles = served.map((operation) =>
    examplesOf(operation).flatMap(([title, , text]) => (text === '' ? [] : title)),
  )
  expect(titles).toEqual(served.map(() => ['TypeScript', 'curl', 'cdn']))
})

test.each(cases)('$name: $title', async ({ operation, language, text }) => {
  const { entries, violations } = await runExample(operation, language, text)
  expect(entries.map(({ operation: name }) => name)).toContain(operation.name)
  expect(entries.filter(({ status }) => status < 200 || status > 299)).toEqual([])
  // An example reads one page, so an open end is no mistake.
  expect(violations.filter(({ name }) => name !== 'open-to')).toEqual([])
})

test('the TypeScript examples have no type errors', async () => {
  const files = cases
    .filter(({ language }) => language === 'ts')
    .map(({ name, text }) => ({ file: `types-${name}.ts`, text }))
  for (const { file, text } of files) writeFileSync(join(folder, file), `${text}\n`)
  const config = {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: { types: ['node'] },
    files: files.map(({ file }) => file),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '--project', folder]).catch((error) => error)
  expect(stdout).toBe('')
})

/** Runs an example with the variables that it names, and returns what the emulator noted. */
async function runExample(operation: Operation, language: string, text: string) {
  const emulator = await createEmulator({ clock: 'real' })
  onTestFinished(() => emulator.close())
  addNamedItems(emulator, operation)
  const { managementUrl, loggingUrl } = await emulator.listen()
  copyFileSync(emulator.fixtures.watermarkFile, join(folder, uploadFile))
  const file = join(folder, `${operation.name}.ts`)
  if (language === 'ts') writeFileSync(file, text)
  const env = {
    HOME: folder,
    CURL_HOME: folder,
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    CDN_MANAGEMENT_URL: managementUrl.origin,
    CDN_LOGGING_URL: loggingUrl.origin,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
  }
  await run('/bin/sh', ['-euc', language === 'ts' ? `node '${file}'` : text], { cwd: folder, env })
  return { entries: [...emulator.journal.entries], violations: [...emulator.journal.violations] }
}

/** Adds the items that the path of an example names, if operations create such: the emulator starts with items of few areas. */
function addNamedItems({ state: { resources } }: Emulator, operation: Operation): void {
  const values = new Map(exampleRequest(operation).path.map(([{ name }, value]) => [`{${name}}`, value]))
  const steps = operation.path.split('/')
  for (let resource = operation.resource; resource; resource = resource.parent) {
    const depth = resource.path.split('/').length
    const id = values.get(steps[depth] ?? '')
    const isCreated = operations.some((other) => other.action?.kind === 'create' && other.resource === resource)
    if (!isCreated || id === undefined || resource.id === undefined) continue
    const path = steps.slice(0, depth).map((step) => String(values.get(step) ?? step))
    if (resources.item(path.join('/'), String(id))) continue
    resources.add(path.join('/'), [resources.complete({ [resource.id]: id }, resource, [])])
  }
}
