import type { DeliveryConfig } from '../config/config.ts'
import { readSecrets } from '../config/secret.ts'
import type { Receiver } from './loop.ts'
import type { PostPlace } from './post.ts'

/** Statuses that mean that a receiver will never accept a piece. A wrong address or credential has another status. */
const refuse = [400, 413, 422]

/**
 * Opens the receiver of a delivery. Loads only the libraries of its protocol.
 *
 * @param env environment variables with secrets; they are read at each use
 */
export async function openReceiver(config: DeliveryConfig, env: NodeJS.ProcessEnv): Promise<Receiver> {
  switch (config.type) {
    case 'http': {
      const { createHttpReceiver } = await import('./http.ts')
      const { url, headers, done, refuse: refused = refuse } = config
      return createHttpReceiver({ url, headers: () => readSecrets(headers, env), done, refuse: refused }, config)
    }
    case 'otlp': {
      const { createOtlpReceiver } = await import('./otlp.ts')
      const place: Omit<PostPlace, 'url'> = { headers: () => readSecrets(config.headers, env), done: [], refuse }
      return createOtlpReceiver(config.endpoint, place)
    }
    case 'stdout': {
      const { createStdoutReceiver } = await import('./stdout.ts')
      return createStdoutReceiver(process.stdout)
    }
  }
}
