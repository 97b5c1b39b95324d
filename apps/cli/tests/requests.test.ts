/** Where the requests of the commands go. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts, type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operationExamples } from '../scripts/examples.ts'
import { handWritten } from '../src/operations/operation-command.ts'
import { fetchFrom, runCli } from './support/cli.ts'

/** One request: its URL, or its path and query at a server, and its headers with lower-case names. */
interface Seen {
  readonly target: string
  readonly headers: Readonly<Record<string, unknown>>
}

const seen: Seen[] = []
const server = createServer(({ url, headers }, response) => {
  seen.push({ target: String(url), headers })
  response.writeHead(204).end()
})
let address: string
let folder: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // the server listens on a port
  folder = await mkdtemp(join(tmpdir(), 'cdn-requests-'))
  await writeFile(join(folder, 'watermark.png'), 'a picture')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => void seen.splice(0))

/** `fetch` that records requests to the public servers. */
const record = fetchFrom((request) => {
  seen.push({ target: request.url, headers: Object.fromEntries(request.headers) })
  return new Response(null, { status: 204 })
})

const idOf = (operation: Operation) => `${operation.interface}.${operation.name}`
const cases = operations
  .filter((operation) => !handWritten.has(idOf(operation)))
  .map(
    (operation) => [operationExamples.get(idOf(operation)) ?? '', contracts[operation.interface], operation] as const,
  )

test('every operation has a command with an example', () => {
  expect([...operationExamples.keys()].sort()).toEqual(operations.map(idOf).sort())
})

describe.each(cases)('%s', (line, contract, operation) => {
  const name = contract.interface
  const schemes = contract.schemes.filter((scheme) => operation.schemes.includes(scheme.name))
  const key = `key-of-${name}`
  const env = Object.fromEntries(schemes.slice(0, 1).map(({ variable }) => [variable, key]))

  test('goes to the public server of its interface', async () => {
    await runCli(wordsOf(line), { env, fetch: record })
    expect(seen.map(({ target }) => target)).toEqual([expect.stringMatching(targetOf(contract.publicUrl, operation))])
  })

  test('goes to the address that is set, with its credential in its header only', async () => {
    const base = `/base/${name}`
    const variable = `CDN_${name.toUpperCase().replaceAll('-', '_')}_URL`
    await runCli(wordsOf(line), { env: { ...env, [variable]: address + base }, fetch })
    expect(seen.map(({ target }) => target)).toEqual([expect.stringMatching(targetOf(base, operation))])
    const headers = Object.entries(defined(seen[0]).headers).filter(([, value]) => String(value).includes(key))
    expect(headers.map(([header]) => header)).toEqual(schemes.slice(0, 1).map(({ header }) => header.toLowerCase()))
  })
})

/** Splits an example into words, as a shell does. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
  const [, ...words] = stdout.split('\0').slice(0, -1)
  return words.map((word) => word.replace(/^@/, `@${folder}/`))
}

/** Returns a pattern for the URLs of an operation at a server, with or without a query. */
function targetOf(base: string, { path }: Operation): RegExp {
  const parts = (base + path).split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[^\w/-]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/?]+')}(\\?.*)?$`)
}
