import { Readable } from 'node:stream'
import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { SinkError } from '../../errors.ts'
import type { StoreClient } from './store.ts'

/** A key of the account, or a shared access signature of the container. */
export type AzureCredentials = { readonly account: string; readonly key: string } | { readonly sas: string }

export interface AzurePlace {
  /** `https://ACCOUNT.blob.core.windows.net`. */
  readonly endpoint: string
  readonly container: string
  /** Called before each request, so that credentials can change at runtime. */
  readonly credentials: () => Promise<AzureCredentials>
}

/** Opens a container of Azure Blob Storage. The library's own retries are off, because the sink repeats requests itself. */
export function openAzure({ endpoint, container, credentials }: AzurePlace): StoreClient {
  const title = `The container ${container} at ${endpoint}`
  const url = `${endpoint.replace(/\/$/, '')}/${encodeURIComponent(container)}`

  async function open(): Promise<ContainerClient> {
    const given = await credentials()
    const credential =
      'sas' in given ? new AnonymousCredential() : new StorageSharedKeyCredential(given.account, given.key)
    const query = 'sas' in given ? `?${given.sas.replace(/^\?/, '')}` : ''
    return new ContainerClient(`${url}${query}`, newPipeline(credential, { retryOptions: { maxTries: 1 } }))
  }
  /** A success without the id of the service is from a proxy on the way. */
  function genuine<T extends { readonly requestId?: string }>(result: T): T {
    if (result.requestId !== undefined) return result
    throw new SinkError('transient', `${title} answered with something other than Azure Blob Storage.`)
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
      const upload = blob.upload(() => Readable.from(stream()), bytes, options)
      const isNew = await upload.then(genuine).catch(unless(412, 'BlobAlreadyExists'))
      return isNew !== undefined
    },
    async head(key, abortSignal) {
      const blob = (await open()).getBlobClient(key)
      const found = await blob.getProperties({ abortSignal }).then(genuine).catch(unless(404, 'BlobNotFound'))
      return found && { bytes: found.contentLength ?? 0, metadata: renamed(found.metadata ?? {}, '_', '-') }
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
      const { statusCode: status, code } = error instanceof RestError ? error : {}
      return { status, code, cause: status === 404 ? 'the container does not exist' : undefined }
    },
    close() {},
  }
}

/** Azure allows no hyphens in the names of metadata. */
function renamed(metadata: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.replaceAll(from, to), value]))
}

/** Creates a handler that maps an error with a status or a code to undefined. */
function unless(status: number, code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof RestError) || (error.statusCode !== status && error.code !== code)) throw error
  }
}
