import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { defined } from '@cdn/kit/defined'
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import type { DeliveryConfigOf } from '../config/config.ts'
import { linesOf } from '../formats/format.ts'
import { columns, parseTypedRow, type RowColumn, type TypedRow } from '../rows/columns.ts'
import type { Receiver } from './loop.ts'
import { createPost } from './post.ts'

type Attribute = string | number | string[]

/**
 * Names from the semantic conventions (1.45) for the fields of a row. In the conventions, headers are lists. Fields without such a
 * name get the prefix `cdn.`. Rows have no HTTP method, so they have no attribute for it.
 */
const names: Readonly<Record<string, string>> = {
  pullZoneId: 'cdn.pull_zone.id',
  requestId: 'cdn.request.id',
  cacheStatus: 'cdn.cache.status',
  statusCode: 'http.response.status_code',
  bytesSent: 'http.response.size',
  bodyBytesSent: 'http.response.body.size',
  contentRange: 'http.response.header.content-range',
  referer: 'http.request.header.referer',
  authorizationHeader: 'http.request.header.authorization',
  userAgent: 'user_agent.original',
  remoteIp: 'client.address',
  asn: 'client.as.number',
  asnOrganization: 'client.as.organization',
  countryCode: 'geo.country.iso_code',
  ja4Fingerprint: 'cdn.tls.client.ja4',
  edgeLocation: 'cdn.edge.location',
  host: 'server.address',
  scheme: 'url.scheme',
  url: 'url.full',
}

/** The attribute of a column. Undefined for the timestamp, which is the time of the record, and `path`, which becomes two attributes. */
function nameOf({ name }: RowColumn): string | undefined {
  if (name === 'timestamp' || name === 'path') return undefined
  return names[name] ?? `cdn.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
}

const attributeNames = columns.map(nameOf)
const at = (name: string) => columns.findIndex((column) => column.name === name)
const pathAt = at('path')
const bodyAt = ['statusCode', 'cacheStatus', 'bytesSent', 'url', 'requestId'].map(at)
const zoneAt = at('pullZoneId')
const statusAt = at('statusCode')

/**
 * The request in one line, such as `200 HIT 5120 https://shop.example/a.png 5cf1...`. `-` stands for a missing value. The id of the
 * request is in it, because some receivers keep one of several records with equal times and bodies.
 */
function requestLine(row: TypedRow): string {
  return bodyAt.map((column) => row[column] ?? '-').join(' ')
}

function severityOf(row: TypedRow): { readonly severityNumber: number; readonly severityText: string } {
  const status = Number(row[statusAt])
  if (status >= 500) return { severityNumber: 17, severityText: 'ERROR' }
  return status >= 400 ? { severityNumber: 13, severityText: 'WARN' } : { severityNumber: 9, severityText: 'INFO' }
}

function toAttributes(row: TypedRow): Record<string, Attribute> {
  const attributes: Record<string, Attribute> = {}
  for (const [n, name] of attributeNames.entries()) {
    const value = row[n]
    if (name === undefined || value === null || value === undefined) continue
    attributes[name] = name.includes('.header.') ? [String(value)] : exact(value)
  }
  const path = row[pathAt]
  if (typeof path === 'string') {
    const query = path.indexOf('?')
    attributes['url.path'] = query === -1 ? path : path.slice(0, query)
    if (query !== -1) attributes['url.query'] = path.slice(query + 1)
  }
  return attributes
}

/** OpenTelemetry's encoder does not support bigints. An integer that is not a safe number becomes text with its digits. */
function exact(value: string | number | bigint): string | number {
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** The attribute of each column, for the documentation. */
export const attributeTable: readonly (readonly [column: string, attribute: string])[] = columns.map((column) => {
  if (column.name === 'timestamp') return [column.name, '(the time of the record)']
  return [column.name, nameOf(column) ?? 'url.path, url.query']
})

type LogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number]

/** The zone is part of the resource: receivers that order records by resource then order those of each zone separately. */
function createResource(zone: string): LogRecord['resource'] {
  const attributes = { 'service.name': 'cdn-logs-exporter', 'service.instance.id': zone }
  // Safe: the serializer reads only the attributes.
  return { attributes } as unknown as LogRecord['resource']
}
const instrumentationScope = { name: 'cdn-logs-exporter' }

/**
 * Encodes canonical lines as the body of an export request (ExportLogsServiceRequest, protobuf).
 *
 * Equal lines give equal bytes, so that a receiver can recognize a repeated piece. So the observed time is the time of the row.
 *
 * @param lines of one zone, with their line feeds; an empty text gives a request without records
 */
function encodeRequest(lines: string): Uint8Array<ArrayBuffer> {
  let resource: LogRecord['resource'] | undefined
  const records = Array.from(linesOf(lines), (line): LogRecord => {
    const row = parseTypedRow(line)
    const hrTime = toHrTime(Number(row[0]))
    resource ??= createResource(String(row[zoneAt]))
    return {
      hrTime,
      hrTimeObserved: hrTime,
      ...severityOf(row),
      body: requestLine(row),
      attributes: toAttributes(row),
      droppedAttributesCount: 0,
      resource,
      instrumentationScope,
    }
  })
  return Uint8Array.from(defined(ProtobufLogsSerializer.serializeRequest(records)))
}

function refusedRecords(body: Uint8Array): number {
  if (body.length === 0) return 0
  return Number(ProtobufLogsSerializer.deserializeResponse(body).partialSuccess?.rejectedLogRecords ?? 0)
}

function toHrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000]
}

const gzip = promisify(gzipWithCallback)
const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }

/**
 * Sends log records to a collector, by OTLP over HTTP in protobuf. OTLP has no key of a request, so a collector may store the
 * records of a repeated request twice. A collector may refuse some records of a request without naming them. OTLP forbids to send
 * them again, so they are only counted.
 */
export function createOtlpReceiver(config: DeliveryConfigOf<'otlp'>, env: NodeJS.ProcessEnv): Receiver {
  const url = `${config.endpoint.replace(/\/+$/, '')}/v1/logs`
  const { checkHeaders, post } = createPost({ headers: config.headers, url }, env)
  async function send(lines: string, signal: AbortSignal): Promise<number> {
    const response = await post(Uint8Array.from(await gzip(encodeRequest(lines))), headers, signal)
    return response.headers.get('content-type')?.includes('protobuf') ? refusedRecords(response.body) : 0
  }
  return {
    check: checkHeaders,
    // A request without records is valid, and also tests the credentials.
    connect: async (signal) => void (await send('', signal)),
    send: async ({ bytes }, signal) => ({ refused: await send(bytes.toString(), signal), rejects: [] }),
  }
}
