import { Readable } from 'node:stream'
import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import type { SinkConfigOf } from '../../config/config.ts'
import { readSecret } from '../../config/secret.ts'
import { SinkError } from '../../errors.ts'
import { maxResponseBytes, type StoreClient, tooLongError } from './store.ts'

/**
 * Opens a container of Azure Blob Storage. The library's own retries are off, because the sink repeats requests itself.
 *
 * @param env environment variables with secrets; they are read for each request
 */
export async function openAzure(
  { container, accountKey, sasToken }: SinkConfigOf<'azure'>,
  env: NodeJS.ProcessEnv,
): Promise<StoreClient> {
  const title = `The container ${container}`
  const limit = limitResponses(title)
  const pipelineOf = (credential: Parameters<typeof newPipeline>[0]) => {
    const pipeline = newPipeline(credential, { retryOptions: { maxTries: 1 } })
    pipeline.factories.unshift(limit)
    return pipeline
  }
  const identity = accountKey || sasToken ? undefined : new (await import('@azure/identity')).DefaultAzureCredential()

  async function open(): Promise<ContainerClient> {
    if (sasToken) {
      const query = (await readSecret(sasToken, env)).replace(/^\?/, '') // such as `sv=...&sig=...`
      return new ContainerClient(`${container}?${query}`, pipelineOf(new AnonymousCredential()))
    }
    const shared = accountKey && new StorageSharedKeyCredential(accountOf(container), await readSecret(accountKey, env))
    return new ContainerClient(container, pipelineOf(shared || identity))
  }
  /** A success without the id of the service is from a proxy. */
  function genuine<T extends { readonly requestId?: string }>(result: T): T {
    if (result.requestId !== undefined) return result
    throw new SinkError('transient', `${title} sent a response that is not from Azure Blob Storage.`)
  }
  return {
    title,
    product: 'Azure Blob Storage',
    async create({ key, bytes, mediaType, metadata, isConditional, stream }, abortSignal) {
      const blob = (await open()).getBlockBlobClient(key)
      const options = {
        abortSignal,
        blobHTTPHeaders: { blobContentType: mediaType },
        metadata: renamed(metadata, '-', '_'),
        ...(isConditional && { conditions: { ifNoneMatch: '*' } }),
      }
      genuine(await blob.upload(() => Readable.from(stream()), bytes, options))
    },
    async head(key, abortSignal) {
      const blob = (await open()).getBlobClient(key)
      const properties = genuine(await blob.getProperties({ abortSignal }))
      return { bytes: properties.contentLength ?? 0, metadata: renamed(properties.metadata ?? {}, '_', '-') }
    },
    async page({ prefix, delimiter }, token, abortSignal) {
      const client = await open()
      const pages = delimiter
        ? client.listBlobsByHierarchy(delimiter, { prefix, abortSignal })
        : client.listBlobsFlat({ prefix, abortSignal })
      const { value } = await pages.byPage(token === undefined ? {} : { continuationToken: token }).next()
      const { segment, continuationToken } = genuine(value)
      const folders = 'blobPrefixes' in segment ? (segment.blobPrefixes ?? []) : []
      return {
        names: [...folders, ...segment.blobItems].map(({ name }) => name),
        next: continuationToken || undefined,
      }
    },
    async read(key, part, abortSignal) {
      const blob = (await open()).getBlobClient(key)
      const count = part && part.to - part.from
      const { readableStreamBody = Readable.from([]) } = genuine(
        await blob.download(part?.from ?? 0, count, { abortSignal, maxRetryRequests: 0 }),
      )
      return Readable.from(readableStreamBody)
    },
    explain(error) {
      if (error instanceof Error && /^(Aggregate|CredentialUnavail)/.test(error.name))
        throw new SinkError(
          'transient', // the identity of a machine may come later
          `No credentials for the container ${container}: set sink.accountKey or sink.sasToken, or give this machine an identity.`,
        )
      const { statusCode, code } = error instanceof RestError ? error : {}
      const status = code === 'BlobAlreadyExists' ? 412 : statusCode // Azure answers 409 or 412
      return { status, code }
    },
    close() {},
  }
}

/** Ends responses that the library reads into memory and that are too long. The content of a blob remains a stream. */
function limitResponses(title: string): RequestPolicyFactory {
  const create: RequestPolicyFactory['create'] = (next) => ({
    async sendRequest(request) {
      const stop = new AbortController()
      const caller = request.abortSignal as AbortSignal // safe: each request has the signal of its caller
      request.abortSignal = AbortSignal.any([caller, stop.signal])
      // The request ends after a body that is read into memory, but before the content of a blob.
      let hasEnded = false
      request.onDownloadProgress = ({ loadedBytes }) => {
        if (!hasEnded && loadedBytes > maxResponseBytes) stop.abort()
      }
      try {
        return await next.sendRequest(request)
      } catch (error) {
        throw stop.signal.aborted ? tooLongError(title) : error
      } finally {
        hasEnded = true
      }
    },
  })
  return { create }
}

/** The account is the first label of the host, or in emulators, the first part of the path. */
function accountOf(container: string): string {
  const { hostname, pathname } = new URL(container)
  const [, first = '', second] = pathname.split('/')
  return second === undefined ? String(hostname.split('.')[0]) : first
}

/** Azure allows no hyphens in the names of metadata. */
function renamed(metadata: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.replaceAll(from, to), value]))
}
