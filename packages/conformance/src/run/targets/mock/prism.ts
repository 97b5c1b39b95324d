/** Runs `prism mock` of @stoplight/prism-cli, which serves a contract. It is an optional peer dependency, because its tree has an install script. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { SuiteConfigurationError } from '../../../exchange/failure.ts'

/** A running Prism. */
export interface Prism {
  readonly url: URL
  /** The line with which Prism reports that it has started. */
  readonly startLine: string
  /** Ends the process. */
  close(): Promise<void>
}

// The pipe of standard input closes when this process ends, in whatever way.
const endsWithParent = `data:text/javascript,${encodeURIComponent('process.stdin.on("close", () => process.exit()).resume()')}`

/**
 * Starts Prism on the full contract of an interface, on loopback.
 *
 * @param port by default a free one
 * @throws SuiteConfigurationError in one sentence if it is not installed, or does not start
 */
export async function startPrism(name: InterfaceName, port = 0): Promise<Prism> {
  const program = findPrism()
  // A published package has no file of the contract. Prism reads it at its start only.
  const folder = await mkdtemp(join(tmpdir(), 'cdn-mock-'))
  const contract = join(folder, `${name}.json`)
  await writeFile(contract, JSON.stringify(contracts[name].openapi.full))
  const options = ['mock', '--host', '127.0.0.1', '--port', String(port), '--cors', 'false', contract]
  const child = spawn(process.execPath, ['--import', endsWithParent, program, ...options])
  const ended = once(child, 'close')
  const close = async () => {
    child.kill()
    await ended
  }
  const startLine = await readStart(child)
  await rm(folder, { recursive: true })
  const address = / on (http\S+)$/.exec(startLine)?.[1]
  if (address) return { url: new URL(address), startLine, close }
  await close()
  throw new SuiteConfigurationError(
    `The mock cannot start: prism mock ${startLine ? `says "${startLine}"` : 'ended without a message'}.`,
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

/** Reads the output until Prism has started, and discards the rest. @returns its start line, or else its last line, or nothing */
async function readStart({ stdout, stderr }: ChildProcess): Promise<string> {
  let last = ''
  stderr?.on('data', (text) => {
    last = String(text).trim().split('\n')[0] ?? last
  })
  if (!stdout) return last
  for await (const line of createInterface(stdout)) {
    const plain = stripVTControlCharacters(line).trim()
    const isStarted = plain.includes('Prism is listening')
    if (isStarted || / (?:fatal|error) /.test(plain)) last = plain
    if (isStarted) break
  }
  stdout.resume()
  return last
}
