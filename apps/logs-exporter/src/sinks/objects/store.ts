/** The interface of a store for the object sink: one bucket of S3, one container of Azure, or one bucket of Google Cloud Storage. */

import { ConfigurationError, SinkError } from '../../errors.ts'
import type { StoredFile } from '../../formats/format.ts'
import { causeOf } from '../../store-causes.ts'
import { networkFailure, readAtMost, withRetries } from '../network.ts'
import type { TemporaryFile } from '../temporary-file.ts'

export interface NewObject extends ReturnType<TemporaryFile['seal']> {
  readonly key: string
  readonly mediaType: string
  /** Called for each attempt. */
  stream(): AsyncIterable<Uint8Array>
  /** Stored with the object; `head` returns it. Names consist of lowercase letters, digits and hyphens. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the store must refuse the object if the key exists. */
  readonly isConditional: boolean
}

type StoredObject = Pick<NewObject, 'bytes' | 'metadata'>

export interface Listing {
  readonly prefix: string
  /** With `/`, keys with the same text up to a slash after the prefix are listed as one folder. */
  readonly delimiter?: '/'
}

export interface Page {
  /** Keys, and folders that end with `/`. */
  readonly names: readonly string[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/**
 * The requests of a store's library, without retries. Each throws the error of the library, or a SinkError that says more. All are
 * idempotent: they read, or create an object with fixed content.
 */
export interface StoreClient {
  /** The name of the store in messages, such as `The bucket logs at https://s3.example`. */
  readonly title: string
  /** The name of the product, for the message about a response that another server sent. */
  readonly product: string
  /** Fails with the status 412 if the key exists and `isConditional`. */
  create(object: NewObject, signal: AbortSignal): Promise<void>
  /** Fails with the status 404 if the key does not exist. */
  head(key: string, signal: AbortSignal): Promise<StoredObject>
  page(listing: Listing, token: string | undefined, signal: AbortSignal): Promise<Page>
  /** The content, or its bytes `from` to `to` (exclusive). */
  read(
    key: string,
    part: { readonly from: number; readonly to: number } | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  explain(error: unknown): Explained
  close(): void
}

export interface Explained {
  /** Undefined without a response. */
  readonly status?: number | undefined
  readonly code?: string | undefined
}

/** A store whose failures are SinkErrors, after retries. */
export type ObjectStore = ReturnType<typeof openStore>

/**
 * Maximum length of a response that is read into memory, in bytes. A listing of 1,000 keys of 1,024 bytes, all escaped in XML, has
 * less than 7 MiB.
 */
export const maxResponseBytes = 8 * 2 ** 20

/** The error of a response that is longer than `maxResponseBytes`. */
export function tooLongError(title: string): SinkError {
  return new SinkError('transient', `${title} sent a response of more than ${maxResponseBytes / 2 ** 20} MiB.`)
}

/** Time-out of a request until its response begins, in ms. The upload of the largest object must fit into it. */
const responseMs = 300_000

/** Adds time-outs, retries and error sentences to the requests of a library. */
export function openStore(client: StoreClient) {
  const { title } = client
  const once = async <T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const late = AbortSignal.timeout(responseMs)
    try {
      return await send(AbortSignal.any([signal, late]))
    } catch (error) {
      signal.throwIfAborted()
      throw failure(client, late.aborted ? `no response within ${responseMs / 1000} s` : error)
    }
  }
  const request = <T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> =>
    withRetries(signal, () => once(send, signal))
  const unless =
    <T>(status: number, value: T) =>
    (error: unknown): T => {
      if (client.explain(error).status !== status) throw error
      return value
    }
  return {
    title,
    /** @returns false if the key exists and `isConditional` */
    create: (object: NewObject, signal: AbortSignal): Promise<boolean> =>
      request((limited) => client.create(object, limited).then(() => true, unless(412, false)), signal),
    /** @returns undefined if the key does not exist */
    head: (key: string, signal: AbortSignal) =>
      request((limited) => client.head(key, limited).catch(unless(404, undefined)), signal),
    /** The names of a listing, ascending. */
    async list(listing: Listing, signal: AbortSignal): Promise<string[]> {
      const names: string[] = []
      let token: string | undefined
      do {
        const page = await request((limited) => client.page(listing, token, limited), signal)
        names.push(...page.names)
        token = page.next
      } while (token !== undefined)
      return names.sort()
    },
    /** An object as a stored file. A failed slice is requested again; a stream only until its response begins. */
    open: (key: string, bytes: number, signal: AbortSignal): StoredFile => ({
      size: bytes,
      async *stream() {
        try {
          yield* await request((limited) => client.read(key, undefined, limited), signal)
        } catch (error) {
          signal.throwIfAborted()
          throw failure(client, error)
        }
      },
      slice: (from, to) =>
        request(async (limited) => {
          // Some stores ignore a range and send the whole object.
          const part = await readAtMost(await client.read(key, { from, to }, limited), bytes)
          if (part) return part
          throw new SinkError('transient', `${title} sent more than the ${bytes} bytes of the object ${key}.`)
        }, signal),
    }),
    close: () => client.close(),
  }
}

/**
 * Creates the SinkError for a failed request. The message has the error code of the store. It has no body and no cause, because
 * these may quote the request. A missing secret stays a configuration error.
 *
 * @param error thrown by the library, or the reason for a missing response
 */
function failure({ title, product, explain }: StoreClient, error: unknown): Error {
  if (error instanceof SinkError || error instanceof ConfigurationError) return error
  if (typeof error === 'string') return new SinkError('transient', `${title} cannot be reached (${error}).`)
  const { status, code } = explain(error)
  if (status === undefined) return new SinkError('transient', `${title} cannot be reached (${networkFailure(error)}).`)
  // A success status here means that a proxy answered.
  if (status < 300) return new SinkError('transient', `${title} sent a response that is not from ${product}.`)
  const { why, isFinal = false } = causeOf('objects', String(status)) ?? {}
  const sentence = [`${title} answers ${status}`, code?.replace(/[^\w.-]/g, '').slice(0, 60)].filter(Boolean).join(' ')
  return new SinkError(isFinal ? 'permanent' : 'transient', why ? `${sentence}: ${why}.` : `${sentence}.`)
}
