import { defined } from '@cdn/kit/defined'
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { parseTypedRow } from '../../rows/typed-row.ts'
import { requestLine, severityOf, toAttributes } from './attributes.ts'

type Record = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number]

// Safe: the serializer reads only the attributes.
const resource = { attributes: { 'service.name': 'cdn-logs-exporter' } } as unknown as Record['resource']
const instrumentationScope = { name: 'cdn-logs-exporter' }

/**
 * Encodes canonical lines as the body of an export request (ExportLogsServiceRequest, protobuf).
 *
 * @param lines with their line feeds; an empty text gives a request without records
 * @param observed when the rows were read, in ms since 1970
 */
export function encodeRequest(lines: string, observed: number): Uint8Array<ArrayBuffer> {
  const records: Record[] = []
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf('\n', start)
    const row = parseTypedRow(lines.slice(start, end))
    records.push({
      hrTime: toHrTime(Number(row[0])),
      hrTimeObserved: toHrTime(observed),
      ...severityOf(row),
      body: requestLine(row),
      attributes: toAttributes(row),
      droppedAttributesCount: 0,
      resource,
      instrumentationScope,
    })
    start = end + 1
  }
  return Uint8Array.from(defined(ProtobufLogsSerializer.serializeRequest(records)))
}

/** Number of records that the collector refused although it accepted the request. */
export function refusedRecords(body: Uint8Array): number {
  if (body.length === 0) return 0
  return Number(ProtobufLogsSerializer.deserializeResponse(body).partialSuccess?.rejectedLogRecords ?? 0)
}

/** Splits a time into seconds and nanoseconds. */
function toHrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000]
}
