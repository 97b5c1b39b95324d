/** Runs `prism mock`, which serves a contract. Prism is an optional peer dependency, because its tree has an install script. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { SuiteConfigurationError } from '../../../exchange/failure.ts'

export interface Prism {
  readonly url: URL
  /** The line with which Prism reports that it has started. */
  readonly startLine: string
  close(): Promise<void>
}

/** Loaded before Prism: the process ends when its standard input closes, even if the process that started it is killed. */
const preload = `data:text/javascript,${encodeURIComponent('process.stdin.on("close", () => process.exit()).resume()')}`

/**
 * Starts Prism on the full contract of an interface, on loopback.
 *
 * @param port by default a free one
 * @throws SuiteConfigurationError in one sentence if it is not installed, or does not start
 */
export async function startPrism(name: InterfaceName, port = 0): Promise<Prism> {
  const program = findPrism()
  // Serve the contract at an address: Prism would watch a file, and a published package has no such file.
  const document = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(contracts[name].openapi.full))
  })
  await once(document.listen(0, '127.0.0.1'), 'listening')
  const { port: documentPort } = document.address() as AddressInfo
  const address = `http://127.0.0.1:${documentPort}/${name}.json`
  const options = ['mock', '--host', '127.0.0.1', '--port', String(port), '--cors', 'false', address]
  const child = spawn(process.execPath, ['--import', preload, program, ...options])
  const ended = once(child, 'close')
  const close = async () => {
    child.stdin.end()
    await ended
  }
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const startLine = await readStart(child.stdout)
  child.stdout.resume()
  document.close()
  const url = / on (http\S+)$/.exec(startLine ?? '')?.[1]
  if (startLine && url) return { url: new URL(url), startLine, close }
  await close()
  // Prism prints how it is used, and then what is wrong.
  const reason = errors.trim().split('\n').at(-1)
  throw new SuiteConfigurationError(
    `The mock cannot start: prism mock ${reason ? `says "${reason}"` : 'ended without a message'}.`,
  )
}

function findPrism(): string {
  try {
    return fileURLToPath(import.meta.resolve('@stoplight/prism-cli'))
  } catch {
    throw new SuiteConfigurationError(
      'The target mock needs Prism, which is not installed: npm install --save-dev @stoplight/prism-cli',
    )
  }
}

/** Reads the output until Prism has started. @returns its start line; undefined if the output ends before */
async function readStart(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface(output)) {
    const plain = stripVTControlCharacters(line).trim()
    if (plain.includes('Prism is listening')) return plain
  }
  return undefined
}
