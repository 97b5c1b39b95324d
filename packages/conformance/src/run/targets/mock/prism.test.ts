import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { listen } from '@cdn/kit/testing/listen'
import { expect, onTestFinished, test } from 'vitest'
import { startPrism } from './prism.ts'

test('Prism serves the contract on a free port, and ends', async () => {
  const { url, startLine, close } = await startPrism('management')
  expect(startLine).toMatch(/Prism is listening on http:\/\/127\.0\.0\.1:\d+$/)
  const response = await fetch(new URL('/pullzone/1', url), { headers: { AccessKey: 'k' } })
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ Id: expect.any(Number) })])
  await close()
  await expect(fetch(url)).rejects.toThrow()
})

test('if Prism does not start, one sentence says why', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  await listen(server)
  const { port } = server.address() as AddressInfo
  await expect(startPrism('logging', port)).rejects.toThrow(
    /^The mock cannot start: prism mock says "[^\n]*EADDRINUSE[^\n]*"\.$/,
  )
})

test('Prism ends with the process that started it, even if that process is killed', async () => {
  const file = new URL('./prism.ts', import.meta.url).href
  const program = `const { startPrism } = await import(${JSON.stringify(file)}); console.log((await startPrism('logging')).url.href)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program])
  const [url] = (await once(createInterface(parent.stdout), 'line')) as [string]
  expect((await fetch(url)).status).toBeGreaterThan(0)
  parent.kill('SIGKILL')
  await once(parent, 'close')
  // The connection is refused as soon as Prism has ended.
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => 'up',
          () => 'down',
        ),
      { timeout: 20_000 },
    )
    .toBe('down')
})
