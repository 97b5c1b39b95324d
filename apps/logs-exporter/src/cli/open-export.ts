import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../errors.ts'
import { serveHealth } from '../health/server.ts'
import type { Log } from './log.ts'
import { createObservability } from './observers.ts'
import { openRuntime } from './runtime.ts'

/** What `run` opens before its first request. */
export type OpenExport = Awaited<ReturnType<typeof openExport>>

/**
 * Opens what `run` needs before its first request: the secrets, the ledger, the sink, the deliveries and the port. `config check` opens
 * the same, and closes it again. Changes nothing in an existing ledger.
 *
 * @throws ConfigurationError, LedgerError, SinkError, or Error if the port is in use
 */
export async function openExport(config: Config, log: Log, env: NodeJS.ProcessEnv) {
  const observability = createObservability(config, log)
  const { observe, metrics, problems } = observability
  const { requests, onRetry, registry } = metrics
  const closing: (() => unknown)[] = [observability.close]
  async function close(): Promise<void> {
    for (const each of closing.splice(0)) await each()
  }
  try {
    // Open the ledger before the port, so that a locked ledger is reported first.
    const runtime = await openRuntime(config, { env, observe, requests, onRetry })
    closing.push(runtime.close)
    observability.attach(runtime)
    const server = await listen(config, () => serveHealth(config.listen, registry, problems))
    closing.push(server.close)
    return { observability, runtime, url: server.url, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listen<T>({ listen: { host, port } }: Config, serve: () => Promise<T>): Promise<T> {
  return serve().catch((error) => {
    // The program that uses the port may end, so this is not a mistake in the configuration.
    if (error.code === 'EADDRINUSE')
      throw new Error(
        `listen: ${host} port ${port} is in use; stop the program that listens there, or choose another port.`,
      )
    throw new ConfigurationError(`listen: ${host} port ${port} cannot be used (${error.code}); choose another one.`)
  })
}
