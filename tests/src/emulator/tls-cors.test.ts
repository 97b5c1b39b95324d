/** TLS and CORS work for clients: a browser, curl, and a program that trusts one certificate. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../chromium.ts'
import { repository } from '../copy.ts'
import { blocksOf } from '../docs/markdown.ts'
import { startProcess } from './outside.ts'

const bin = join(repository, 'packages/emulator/src/bin.ts')

describe('from a page of another origin', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  /** Makes some calls from a page. Returns the status of each call, or the name of its error. */
  async function call(args: readonly string[]) {
    const { ready, stop } = await startProcess(['--clock', 'virtual', ...args])
    const origin = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('a page'))
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    try {
      const { port } = origin.address() as AddressInfo // the server listens on a port
      await page.goto(`http://127.0.0.1:${port}`)
      return await page.evaluate(async ({ managementUrl, loggingUrl, accessKey, bearerToken }) => {
        const send = (url: string, init: RequestInit) =>
          fetch(url, init).then(
            async (response) => [response.status, (await response.text()).length > 0],
            (error: Error) => error.name,
          )
        const key = { AccessKey: accessKey }
        const body = JSON.stringify({ Hostname: 'a.example' })
        return [
          await send(`${loggingUrl}v2/pullzones/2002/logs?limit=1`, { headers: key }),
          await send(`${loggingUrl}v2/pullzones/2002/logs`, { headers: { Authorization: `Bearer ${bearerToken}` } }),
          await send(`${managementUrl}pullzone/2001/addAllowedReferrer`, {
            method: 'POST',
            headers: { ...key, 'Content-Type': 'application/json' },
            body,
          }),
          await send(`${managementUrl}videolibrary/1001/watermark`, { method: 'DELETE', headers: key }),
          await send(`${managementUrl}pullzone/2001`, {}),
          await send(`${managementUrl}_emulator/state`, {}),
        ]
      }, ready)
    } finally {
      await page.context().close()
      origin.close()
      await stop()
    }
  }

  const answered = [[200, true], [200, true], [204, false], [204, false], [401, false], 'TypeError']

  test('--cors: both interfaces answer, the control interface does not', async () => {
    expect(await call(['--cors'])).toEqual(answered)
  })

  test('--cors --tls: over HTTPS, too', async () => {
    expect(await call(['--cors', '--tls'])).toEqual(answered)
  })

  test('without --cors no response can be read', async () => {
    expect(await call([])).toEqual(Array(6).fill('TypeError'))
  })
})

describe('TLS', () => {
  test('only a client that has the certificate trusts it', async () => {
    const { ready, stop } = await startProcess(['--tls'])
    const folder = mkdtempSync(join(tmpdir(), 'tls-'))
    try {
      expect([ready.managementUrl, ready.loggingUrl].every((url) => url.startsWith('https://127.0.0.1:'))).toBe(true)
      writeFileSync(join(folder, 'certificate.pem'), defined(ready.certificate))
      const script = `fetch(${JSON.stringify(ready.managementUrl.replace('127.0.0.1', 'localhost'))}).then(({ status }) => console.log(status), ({ cause }) => console.log(cause.code))`
      const ask = (env: Record<string, string>) =>
        spawnSync(process.execPath, ['--eval', script], { env, encoding: 'utf8' }).stdout.trim()
      expect(ask({})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
      expect(ask({ NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem') })).toBe('501')
    } finally {
      rmSync(folder, { recursive: true })
      await stop()
    }
  })

  test('the emulator serves your own key and certificate; a mismatched pair is refused in one sentence', async ({
    skip,
  }) => {
    if (spawnSync('openssl', ['version']).error) skip('openssl is not installed')
    const first = await startProcess(['--tls'])
    await first.stop()
    const folder = mkdtempSync(join(tmpdir(), 'tls-'))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2']
    expect(spawnSync('openssl', [...openssl, '-keyout', key, '-out', certificate]).status).toBe(0)
    try {
      const { ready, stop } = await startProcess(['--tls-key', key, '--tls-certificate', certificate])
      expect(ready.certificate).toBe(readFileSync(certificate, 'utf8'))
      await stop()
      writeFileSync(certificate, defined(first.ready.certificate))
      const { status, stderr } = spawnSync(
        process.execPath,
        [bin, '--tls-key', key, '--tls-certificate', certificate],
        { encoding: 'utf8' },
      )
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/^cdn-emulator: The key and the certificate must be PEM text and belong together: .+\n$/),
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('curl and jq, as the page shows', ({ skip }) => {
    for (const program of ['curl', 'jq'])
      if (spawnSync(program, ['--version']).error) skip(`${program} is not installed`)
    const blocks = blocksOf(readFileSync(join(repository, 'docs/emulator.md'), 'utf8'))
    const [block] = blocks.filter(({ text }) => text.includes('--cacert'))
    const folder = mkdtempSync(join(tmpdir(), 'curl-'))
    try {
      const program = `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`
      writeFileSync(join(folder, 'cdn-emulator'), program, { mode: 0o700 })
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
      const command = `trap 'kill $!' EXIT\n${block?.text}`
      const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
      expect(stdout, stderr).toMatch(/^\[\{"Id":2001,/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
