import type { DeliveryConfig } from '../config/config.ts'
import type { Receiver } from './loop.ts'

/**
 * Opens the receiver of a delivery. Loads only the libraries of its protocol.
 *
 * @param env environment variables with secrets; they are read at each use
 */
export async function openReceiver(config: DeliveryConfig, env: NodeJS.ProcessEnv): Promise<Receiver> {
  switch (config.type) {
    case 'http':
      return (await import('./http.ts')).createHttpReceiver(config, env)
    case 'otlp':
      return (await import('./otlp.ts')).createOtlpReceiver(config, env)
    case 'stdout':
      return (await import('./stdout.ts')).createStdoutReceiver(process.stdout)
  }
}
