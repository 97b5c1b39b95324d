import type { SinkConfig } from '../config/config.ts'
import { readSecret, readSecrets, type Secret } from '../config/secret.ts'
import { createFormat } from '../formats/index.ts'
import type { StoreClient } from './objects/store.ts'
import type { Sink } from './sink.ts'

/**
 * Opens the configured sink. Loads only the libraries of that sink.
 *
 * @param env environment variables with secrets; they are read at each use
 */
export async function openSink(config: SinkConfig, env: NodeJS.ProcessEnv): Promise<Sink> {
  const read = (secret: Secret) => readSecret(secret, env)
  switch (config.type) {
    case 'files': {
      const { openFilesSink } = await import('./files/index.ts')
      const mode = config.mode === undefined ? undefined : Number.parseInt(config.mode, 8)
      return openFilesSink({ path: config.path, mode, format: await createFormat(config) })
    }
    case 's3': {
      const { openS3 } = await import('./objects/s3.ts')
      const { endpoint, bucket, region, credentials: secrets } = config
      const credentials = secrets && (() => readSecrets({ ...secrets }, env))
      const { encryption: ServerSideEncryption, kmsKeyId: SSEKMSKeyId, storageClass: StorageClass } = config
      const put = { ServerSideEncryption, SSEKMSKeyId, StorageClass }
      return openObjects(openS3({ endpoint, bucket, region, put, credentials }), config)
    }
    case 'azure': {
      const { openAzure } = await import('./objects/azure.ts')
      const { container, accountKey, sasToken } = config
      if (accountKey) return openObjects(openAzure({ container, accountKey: () => read(accountKey) }), config)
      if (sasToken) return openObjects(openAzure({ container, sasToken: () => read(sasToken) }), config)
      const { DefaultAzureCredential } = await import('@azure/identity')
      return openObjects(openAzure({ container, identity: new DefaultAzureCredential() }), config)
    }
    case 'gcs': {
      const { openGoogle } = await import('./objects/google.ts')
      return openObjects(openGoogle(config), config)
    }
    case 'postgres': {
      const { openPostgresSink } = await import('./postgres/index.ts')
      return openPostgresSink({ url: () => read(config.url) })
    }
  }
}

async function openObjects(client: StoreClient, config: Extract<SinkConfig, { prefix: string }>): Promise<Sink> {
  const { openObjectSink } = await import('./objects/index.ts')
  const { type: name, prefix } = config
  const isOneWriter = config.type === 's3' && config.exclusive !== undefined
  return openObjectSink(client, { name, prefix, isOneWriter, format: await createFormat(config) })
}
