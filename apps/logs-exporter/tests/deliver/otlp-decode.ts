import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import protobuf from 'protobufjs'

type Value = { stringValue?: string; intValue?: string; arrayValue?: { values: Value[] } }
export type Record_ = {
  timeUnixNano: string
  severityText: string
  severityNumber: number
  body: Value
  attributes: { key: string; value: Value }[]
}

const base = dirname(createRequire(import.meta.url).resolve('@opentelemetry/otlp-grpc-exporter-base/package.json'))
const types = new protobuf.Root()
types.resolvePath = (_origin, path) => join(base, 'build/protos', path)
await types.load('opentelemetry/proto/collector/logs/v1/logs_service.proto')

/** The records of a body, decoded with the official definitions. */
export function decode(body: Uint8Array): Record_[] {
  const type = types.lookupType('opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest')
  const message: { resourceLogs?: { scopeLogs: { logRecords: Record_[] }[] }[] } = type.toObject(type.decode(body), {
    longs: String,
  })
  return (message.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
}

/** The fields of the row in a record. The table of names here is independent of the exporter's. */
export function toRow({ timeUnixNano, attributes }: Record_): Record<string, unknown> {
  const values = new Map(attributes.map(({ key, value }) => [key, value]))
  const text = (key: string) => values.get(key)?.stringValue
  const integer = (key: string) => values.get(key)?.intValue ?? values.get(key)?.stringValue
  const header = (key: string) => values.get(key)?.arrayValue?.values[0]?.stringValue
  const query = text('url.query')
  return {
    timestamp: new Date(Number(BigInt(timeUnixNano) / 1_000_000n)).toISOString(),
    pullZoneId: integer('cdn.pull_zone.id'),
    requestId: text('cdn.request.id'),
    cacheStatus: text('cdn.cache.status'),
    statusCode: integer('http.response.status_code'),
    bytesSent: integer('http.response.size'),
    remoteIp: text('client.address'),
    countryCode: text('geo.country.iso_code'),
    userAgent: text('user_agent.original'),
    referer: header('http.request.header.referer'),
    ja4Fingerprint: text('cdn.tls.client.ja4'),
    asn: integer('client.as.number'),
    asnOrganization: text('client.as.organization'),
    edgeLocation: text('cdn.edge.location'),
    scheme: text('url.scheme'),
    host: text('server.address'),
    path: query === undefined ? text('url.path') : `${text('url.path')}?${query}`,
    url: text('url.full'),
    bodyBytesSent: integer('http.response.body.size'),
    contentRange: header('http.response.header.content-range'),
    authorizationHeader: header('http.request.header.authorization'),
    ...JSON.parse(text('cdn.extra') ?? '{}'),
    source: text('cdn.source'),
  }
}

export const integers = /("(?:pullZoneId|statusCode|bytesSent|asn|bodyBytesSent)"):(-?\d+)/g
