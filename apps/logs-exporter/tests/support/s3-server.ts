import { createHmac, hash } from 'node:crypto'
import type { SinkConfigOf } from '../../src/config/config.ts'
import { type ListedPage, type ObjectRequest, startObjectStore } from './object-server.ts'

export type S3Store = Awaited<ReturnType<typeof startS3>>

const credentials = { accessKeyId: 'canary-id', secretAccessKey: 'canary-secret' }

/**
 * Starts a stand-in for S3, which follows the reference of its REST API. It refuses a request whose signature (version 4) or whose body
 * differs from what was signed.
 *
 * @param conditional false for a store that ignores If-None-Match
 */
export async function startS3({ conditional = true, pageSize = 1000 } = {}) {
  const store = await startObjectStore(
    {
      answer(request, list) {
        const { searchParams } = request.url
        if (request.headers['x-amz-content-sha256'] !== hash('sha256', request.body))
          return refusal(400, 'XAmzContentSHA256Mismatch')
        if (!isSigned(request)) return refusal(403, 'SignatureDoesNotMatch')
        if (!searchParams.has('list-type')) return undefined
        const [prefix = '', delimiter = '', after = ''] = ['prefix', 'delimiter', 'continuation-token'].map(
          (name) => searchParams.get(name) ?? '',
        )
        return { status: 200, text: toXml(list(prefix, delimiter, after)) }
      },
      isConditional: (headers) => conditional && headers['if-none-match'] === '*',
      kept: /^x-amz-meta-|^content-type$/,
      proof: {},
    },
    pageSize,
  )
  return Object.assign(store, { region: 'us-east-1', credentials })
}

/** The configuration of a sink in a store, and the environment with its secrets. */
export function s3Sink({ endpoint, bucket, region, credentials }: S3Store, changes: Partial<SinkConfigOf<'s3'>> = {}) {
  const config: SinkConfigOf<'s3'> = {
    ...{ type: 's3', endpoint, bucket, region, prefix: '', format: 'ndjson', compression: 'zstd' },
    credentials: { accessKeyId: { env: 'S3_KEY' }, secretAccessKey: { env: 'S3_SECRET' } },
    ...changes,
  }
  return { config, env: { S3_KEY: credentials.accessKeyId, S3_SECRET: credentials.secretAccessKey } }
}

/** Computes the signature of a request again, as the documentation of AWS describes it. */
function isSigned({ method, url, headers }: ObjectRequest): boolean {
  const pattern = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)$/
  const [, id, day = '', region = '', names = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  const query = url.search.slice(1).split('&').sort().join('&')
  const signed = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const request = [method, url.pathname, query, signed.join(''), names, headers['x-amz-content-sha256']].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash('sha256', request)].join('\n')
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest()
  const key = scope.split('/').reduce<string | Buffer>(sign, `AWS4${credentials.secretAccessKey}`)
  return id === credentials.accessKeyId && sign(key, text).toString('hex') === signature
}

/** A page of ListObjectsV2. */
function toXml({ folders, keys, next }: ListedPage): string {
  const escaped = (name: string) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const prefixes = folders.map((name) => `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`)
  const contents = keys.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`)
  const token = next === undefined ? '' : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`
  const names = [...prefixes, ...contents].join('')
  return `<ListBucketResult><IsTruncated>${token !== ''}</IsTruncated>${token}${names}</ListBucketResult>`
}

function refusal(status: number, code: string) {
  return { status, text: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>test</Message></Error>` }
}
