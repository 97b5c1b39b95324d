import type { LoggingComponents } from '@cdn/api'
import type { View } from '../output/create-output.ts'
import type { TableColumn } from '../output/table.ts'

type LogEntry = LoggingComponents['schemas']['LogEntry']

/** The CSV columns: the fields of a version 2 row (supplement), in the contract's order. A test compares them with the contract. */
export const rowFields = [
  'timestamp',
  'pullZoneId',
  'requestId',
  'cacheStatus',
  'statusCode',
  'bytesSent',
  'remoteIp',
  'countryCode',
  'userAgent',
  'referer',
  'ja4Fingerprint',
  'asn',
  'asnOrganization',
  'edgeLocation',
  'scheme',
  'host',
  'path',
  'url',
  'bodyBytesSent',
  'contentRange',
  'authorizationHeader',
] as const satisfies readonly (keyof LogEntry)[]

type Row = Partial<LogEntry>

const columns: readonly TableColumn<Row>[] = [
  { title: 'time', value: ({ timestamp }) => timestamp, width: 24 },
  { title: 'status', value: ({ statusCode }) => statusCode, width: 6, align: 'right', style: statusStyle },
  { title: 'cache', value: ({ cacheStatus }) => cacheStatus, width: 11 },
  { title: 'bytes', value: ({ bytesSent }) => bytesSent, width: 10, align: 'right', isMinor: true },
  { title: 'country', value: ({ countryCode }) => countryCode, width: 7, isMinor: true },
  { title: 'edge', value: ({ edgeLocation }) => edgeLocation, width: 4, isMinor: true },
  { title: 'address', value: ({ remoteIp }) => remoteIp, width: 15, isMinor: true },
  { title: 'url', value: ({ url }) => url, width: 60, isFlexible: true },
  { title: 'user agent', value: ({ userAgent }) => userAgent, width: 40, isFlexible: true, isMinor: true },
]

/**
 * The view of rows.
 *
 * @param showsSecrets whether the output shows the visitor's credential
 */
export function rowView(showsSecrets: boolean) {
  const view = { columns, fields: rowFields } satisfies View<Row>
  if (!showsSecrets) return view
  const value = ({ authorizationHeader }: Row) => authorizationHeader
  const authorization = { title: 'authorization', value, width: 30, isFlexible: true } as const
  return { ...view, columns: [...columns, authorization] }
}

function statusStyle({ statusCode = 0 }: Row) {
  return statusCode >= 500 ? 'red' : statusCode >= 400 ? 'yellow' : undefined
}
