import type { SinkConfig, SinkConfigOf } from '../config/config.ts'
import { readSecret } from '../config/secret.ts'
import { createFormat } from '../formats/index.ts'
import type { StoreClient } from './objects/store.ts'
import type { Sink } from './sink.ts'

/**
 * Opens the configured sink. Loads only the libraries of that sink.
 *
 * @param env environment variables with secrets; they are read at each use
 */
export async function openSink(config: SinkConfig, env: NodeJS.ProcessEnv): Promise<Sink> {
  switch (config.type) {
    case 'files': {
      const { openFilesSink } = await import('./files/index.ts')
      const mode = config.mode === undefined ? undefined : Number.parseInt(config.mode, 8)
      return openFilesSink({ path: config.path, mode, format: await createFormat(config) })
    }
    case 's3': {
      const { openS3 } = await import('./objects/s3.ts')
      return openObjects(openS3(config, env), config)
    }
    case 'azure': {
      const { openAzure } = await import('./objects/azure.ts')
      return openObjects(await openAzure(config, env), config)
    }
    case 'gcs': {
      const { openGoogle } = await import('./objects/google.ts')
      return openObjects(openGoogle(config), config)
    }
    case 'postgres': {
      const { openPostgresSink } = await import('./postgres/index.ts')
      return openPostgresSink({ url: () => readSecret(config.url, env) })
    }
  }
}

async function openObjects(client: StoreClient, config: SinkConfigOf<'s3' | 'azure' | 'gcs'>): Promise<Sink> {
  const { openObjectSink } = await import('./objects/index.ts')
  return openObjectSink(client, config, await createFormat(config))
}
