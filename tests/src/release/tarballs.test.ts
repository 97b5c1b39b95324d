/** What is published works where the workspace is not: on a machine with the oldest Node that each package names. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, installTarballs, type Manifest, oldestNode } from './pack.ts'

let installed: Installation
beforeAll(() => {
  installed = installTarballs()
}, 180_000)
afterAll(() => installed.close())

const names = ['@cdn/api', '@cdn/emulator', '@cdn/conformance', '@cdn/logs-exporter', '@cdn/cli']

function nodeOf(name: string): string {
  return oldestNode(installed.manifest(name).engines.node)
}

/** Runs there with nothing of the surroundings: no variable of this process, and its Node first on the path. */
function run(name: string, args: readonly string[]): string {
  return execFileSync(nodeOf(name), args, { cwd: installed.folder, env: {}, encoding: 'utf8', timeout: 60_000 })
}

test('no manifest leads back into the workspace', () => {
  for (const name of names) {
    const { dependencies = {}, bin = {}, exports = {} }: Manifest = installed.manifest(name)
    expect(JSON.stringify({ dependencies, bin, exports }), name).not.toMatch(/workspace:|\/src\//)
  }
})

test.each(['@cdn/api', '@cdn/emulator', '@cdn/conformance'])('every entry of %s can be imported', (name) => {
  const { exports = {} } = installed.manifest(name)
  // The fixture for vitest needs vitest, which its user brings.
  const entries = Object.keys(exports).filter((entry) => entry !== './vitest' && entry !== './cli')
  expect(entries.length).toBeGreaterThan(0)
  const imports = entries.map((entry) => `await import(${JSON.stringify(join(name, entry))})`).join('\n')
  writeFileSync(join(installed.folder, 'entries.mjs'), `${imports}\nconsole.log('imported')`)
  expect(run(name, ['entries.mjs'])).toBe('imported\n')
})

test('cdn-emulator serves, and the client reads from it', async () => {
  const program = installed.program('cdn-emulator')
  const emulator = spawn(nodeOf('@cdn/emulator'), [program, '--json', '--port', '0'], {
    cwd: installed.folder,
    env: {},
  })
  try {
    const [line] = (await once(createInterface({ input: emulator.stdout }), 'line')) as [string]
    const { managementUrl, accessKey } = JSON.parse(line) as { managementUrl: string; accessKey: string }
    const script = `
      import { createManagementClient } from '@cdn/api'
      const client = createManagementClient(${JSON.stringify({ baseUrl: managementUrl, accessKey })})
      const { data } = await client.GET('/pullzone/{id}', { params: { path: { id: 2001 } } })
      console.log(data.Id)`
    writeFileSync(join(installed.folder, 'call.mjs'), script)
    expect(run('@cdn/api', ['call.mjs'])).toBe('2001\n')
  } finally {
    emulator.kill()
  }
})

test('cdn-conformance runs checks', () => {
  const program = installed.program('cdn-conformance')
  const printed = run('@cdn/conformance', [program, 'run', '--target', 'mock'])
  expect(printed).toContain('The mock conforms: each check that ran passed')
})

test.each([
  ['@cdn/cli', 'cdn'],
  ['@cdn/logs-exporter', 'cdn-logs-exporter'],
])('%s: %s says what it can do', (name, bin) => {
  expect(run(name, [installed.program(bin), '--help'])).toContain(bin)
})
