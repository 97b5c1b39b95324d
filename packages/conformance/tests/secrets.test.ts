/** A platform that sends secrets of the account: none of them is in any file or output of a run. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { conformance, startEmulator } from './support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const canary = 'CANARY-of-the-account'
/** The four fields that the contract marks (supplement), and one that it does not state: its name is that of a credential. */
const secrets = {
  ApiKey: `${canary}-1`,
  ReadOnlyApiKey: `${canary}-2`,
  AWSSigningSecret: `${canary}-3`,
  LogForwardingToken: `${canary}-4`,
  Password: `${canary}-5`,
}

/** A proxy before the management interface. It adds the secrets to each object, first, and changes 200 to 206, so that checks fail. */
async function startProxy(target: string) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      /^(accesskey|authorization|content-type|accept)$/.test(name) ? [[name, String(value)]] : [],
    )
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {}
    const received = await fetch(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      headers,
      ...body,
    })
    const text = await received.text()
    const sent = text.startsWith('{') || text.startsWith('[') ? JSON.stringify(withSecrets(JSON.parse(text))) : text
    const status = received.status === 200 ? 206 : received.status
    response.writeHead(status, { 'content-type': received.headers.get('content-type') ?? 'application/json' })
    response.end(status === 204 ? undefined : sent)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } // it listens on a port
}

function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets)
  if (typeof value !== 'object' || value === null) return value
  const own = Object.entries(value).map(([name, each]) => [name, withSecrets(each)])
  return { ...secrets, ...Object.fromEntries(own), ...secrets }
}

test('no secret of the account is in the clear in any file or output of a run', { timeout: 300_000 }, async () => {
  const platform = await startEmulator(folder, 'platform')
  const { server, url } = await startProxy(platform.managementUrl)
  const args = platform.args.map((each) => (each === platform.managementUrl ? url : each))
  const only = ['management.get-pull-zone.200', 'management.list-pull-zones.200', 'management.get-video-library.200']
  const { out, err } = await conformance(folder, [...args, '--only', only.join(), '--out', 'reports'], platform.env)
  platform.child.kill()
  server.close()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = files.map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const)
  const all = [...texts, ['stdout', out], ['stderr', err]] as const
  expect(all.filter(([, text]) => text.includes(canary)).map(([name]) => name)).toEqual([])
  // The bodies with the secrets were shown: the test would pass otherwise, too.
  expect(texts.length).toBeGreaterThan(4)
  expect(all.filter(([, text]) => /ApiKey\W+\[redacted\]/.test(text)).map(([name]) => name)).toContain('report.json')
})
