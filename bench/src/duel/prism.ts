import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { toolsFolder, versions } from './folders.ts'
import { readRecording, requestOf } from './recording.ts'
import { maxRequests } from './server.ts'
import { serve, type Tool } from './tool.ts'

/** Of the requests of this suite, every fourth is sent: with all, Prism would need more time than all other tools together. */
const step = 4

/** Time-out of a request in ms, because Prism never responds to some invalid JSON. */
const timeoutMs = 500

/**
 * Prism as a validation proxy in front of the server. It sends no requests of its own, so it gets the requests that this suite
 * sent to the correct server. It runs without `--errors`: with it, Prism would refuse invalid requests and never validate the
 * responses to them. https://github.com/stoplightio/prism/blob/master/docs/guides/03-validation-proxy.md
 */
export const prism: Tool = {
  name: 'Prism proxy',
  version: versions.prism,
  namesSentence: false,
  varies: false,
  examine: (subject) =>
    serve(
      subject,
      async ({ managementUrl, loggingUrl, folder }) => {
        const management = await startProxy(folder, 'management', managementUrl)
        const logging = await startProxy(folder, 'logging', loggingUrl)
        try {
          return await violations({ management: management.url, logging: logging.url })
        } finally {
          management.child.kill()
          logging.child.kill()
        }
      },
      ['--recorded'],
    ),
}

async function startProxy(
  folder: string,
  name: InterfaceName,
  upstream: string,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort()
  await writeFile(join(folder, `${name}.json`), JSON.stringify(contracts[name].openapi.full))
  const cli = join(toolsFolder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const args = [cli, 'proxy', `${name}.json`, upstream.replace(/\/$/, ''), '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk) => String(chunk).includes('Prism is listening') && resolve()),
  )
  return { url: `http://127.0.0.1:${port}`, child }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function violations(urls: Readonly<Record<'management' | 'logging', string>>): Promise<string[]> {
  const all = new Set<string>()
  for (const request of readRecording().filter((_, index) => index < maxRequests && index % step === 0)) {
    const url = `${urls[request.interface]}${request.target}`
    const response = await fetch(url, { ...requestOf(request), signal: AbortSignal.timeout(timeoutMs) }).catch(
      () => undefined,
    )
    await response?.arrayBuffer().catch(() => undefined)
    const path = request.target.split('?')[0]
    for (const text of responseViolations(response?.headers.get('sl-violations') ?? null))
      all.add(`${request.method} ${path}: ${text}`.replace(/\d+/g, '#'))
  }
  return [...all]
}

/** Returns the violations of the response from the header. Prism truncates long headers, so the value may be invalid JSON. */
export function responseViolations(header: string | null): string[] {
  return (header ?? '')
    .split('{"location":["response"')
    .slice(1)
    .flatMap((violation) => {
      const place = violation.split(']')[0]
      const message = violation.split('"message":"')[1]?.split('"}')[0]
      return violation.includes('"severity":"Error"') && message !== undefined ? [`${place} ${message}`] : []
    })
}
