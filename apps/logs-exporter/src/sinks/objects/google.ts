import { Readable } from 'node:stream'
import { GoogleAuth } from 'google-auth-library'
import type { SinkConfigOf } from '../../config/config.ts'
import { SinkError } from '../../errors.ts'
import { readAtMost } from '../network.ts'
import { maxResponseBytes, type StoreClient, tooLongError } from './store.ts'

class StatusError extends Error {
  readonly status: number
  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

/**
 * Opens a bucket of Google Cloud Storage: its XML API for objects, its JSON API for listings. `google-auth-library` finds and renews
 * the credentials: the file of GOOGLE_APPLICATION_CREDENTIALS, or the identity of the machine.
 * The library of the vendor for storage is not used, because it cannot abort a request.
 */
export function openGoogle({ endpoint, bucket }: SinkConfigOf<'gcs'>): StoreClient {
  const title = `The bucket ${bucket} at ${endpoint}`
  const base = endpoint.replace(/\/$/, '')
  const scopes = ['https://www.googleapis.com/auth/devstorage.read_write']
  // No request names a project. Without this option, the library looks for one with `gcloud`, which takes most of a second.
  const auth = new GoogleAuth({ scopes, projectId: 'none' })
  const urlOf = (key: string) => `${base}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`

  async function send(url: string, init: RequestInit & { readonly duplex?: 'half' }): Promise<Response> {
    const headers = await auth.getRequestHeaders(url)
    for (const [name, value] of Object.entries(init.headers ?? {})) headers.set(name, value)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    if (!response.ok) {
      await response.body?.cancel().catch(() => {}) // of a failure, only the status matters
      throw new StatusError(response.status)
    }
    return response
  }
  /** A success without the generation of the object is from a proxy. */
  function genuine(response: Response): Response {
    if (response.headers.has('x-goog-generation')) return response
    throw new SinkError('transient', `${title} sent a response that is not from Google Cloud Storage.`)
  }
  return {
    title,
    product: 'Google Cloud Storage',
    async create({ key, bytes, mediaType, metadata, isConditional, stream }, signal) {
      const named = Object.entries(metadata).map(([name, value]) => [`x-goog-meta-${name}`, value])
      const headers = {
        ...{ 'content-type': mediaType, 'content-length': String(bytes) },
        ...(isConditional && { 'x-goog-if-generation-match': '0' }),
        ...Object.fromEntries(named),
      }
      // Safe: the types of Node and the DOM differ, and it is the same stream.
      const body = Readable.toWeb(Readable.from(stream())) as ReadableStream<Uint8Array<ArrayBuffer>>
      const created = await send(urlOf(key), { method: 'PUT', headers, body, duplex: 'half', signal })
      await genuine(created).body?.cancel()
    },
    async head(key, signal) {
      const { headers } = genuine(await send(urlOf(key), { method: 'HEAD', signal }))
      const metadata = [...headers]
        .filter(([name]) => name.startsWith('x-goog-meta-'))
        .map(([name, value]) => [name.slice('x-goog-meta-'.length), value])
      return { bytes: Number(headers.get('content-length')), metadata: Object.fromEntries(metadata) }
    },
    async page({ prefix, delimiter }, token, signal) {
      const query = { prefix, ...(delimiter && { delimiter }), ...(token && { pageToken: token }) }
      const url = `${base}/storage/v1/b/${encodeURIComponent(bucket)}/o?${new URLSearchParams(query)}`
      const { body } = await send(url, { signal })
      const bytes = body && (await readAtMost(body, maxResponseBytes))
      if (body && !bytes) throw tooLongError(title)
      return toPage(bytes, title)
    },
    async read(key, part, signal) {
      const headers = part && { range: `bytes=${part.from}-${part.to - 1}` }
      const { body } = genuine(await send(urlOf(key), { signal, ...(headers && { headers }) }))
      return body ?? Readable.from([])
    },
    explain(error) {
      return { status: error instanceof StatusError ? error.status : undefined }
    },
    close() {},
  }
}

/** A page of the JSON API. An incomplete or foreign page is requested again, because segments that it lacks would be written twice. */
function toPage(bytes: Buffer | null | undefined, title: string) {
  try {
    const page = JSON.parse(String(bytes))
    if (page.kind === 'storage#objects') {
      const items: readonly { readonly name: string }[] = page.items ?? []
      return { names: [...(page.prefixes ?? []), ...items.map(({ name }) => name)], next: page.nextPageToken }
    }
  } catch {
    // Invalid JSON has the same error as any other incomplete response, below.
  }
  throw new SinkError('transient', `${title} answered a listing with an incomplete or foreign response.`)
}
