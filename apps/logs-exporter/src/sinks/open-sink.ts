import type { SinkConfig } from '../config/config.ts'
import { readSecret, type Secret } from '../config/secret.ts'
import { createFormat } from '../formats/index.ts'
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
      const { openS3Sink } = await import('./s3/index.ts')
      const { endpoint, bucket, prefix, region, credentials: secrets } = config
      const credentials =
        secrets &&
        (async () => ({
          accessKeyId: await read(secrets.accessKeyId),
          secretAccessKey: await read(secrets.secretAccessKey),
          ...(secrets.sessionToken && { sessionToken: await read(secrets.sessionToken) }),
        }))
      const { encryption: ServerSideEncryption, kmsKeyId: SSEKMSKeyId, storageClass: StorageClass } = config
      const put = { ServerSideEncryption, SSEKMSKeyId, StorageClass }
      return openS3Sink({ endpoint, bucket, prefix, region, put, credentials, format: await createFormat(config) })
    }
    case 'postgres': {
      const { openPostgresSink } = await import('./postgres/index.ts')
      return openPostgresSink({ url: () => read(config.url) })
    }
  }
}
