import type { LoggingComponents } from '@cdn/api'
import type { Column, View } from '../output/output.ts'

type LogEntry = LoggingComponents['schemas']['LogEntry']

/** The fields of a row of version 2 (supplement), in the contract's order: the columns of CSV. A test holds them against it. */
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

/** The columns of a table of rows: what a person looks for first. All fields are in the other formats. */
const columns: readonly Column<Row>[] = [
  { title: 'time', value: ({ timestamp }) => timestamp, width: 24 },
  { title: 'status', value: ({ statusCode }) => statusCode, width: 6, align: 'right', style: statusStyle },
  { title: 'cache', value: ({ cacheStatus }) => cacheStatus, width: 11 },
  { title: 'bytes', value: ({ bytesSent }) => bytesSent, width: 10, align: 'right', isMinor: true },
  { title: 'country', value: ({ countryCode }) => countryCode, width: 7, isMinor: true },
  { title: 'edge', value: ({ edgeLocation }) => edgeLocation, width: 4, isMinor: true },
  { title: 'address', value: ({ remoteIp }) => remoteIp, width: 15, isMinor: true },
  { title: 'url', value: ({ url }) => url, width: 60, isFlexible: true },
  {
    title: 'user agent',
    value: ({ userAgent }) => userAgent,
    width: 40,
    isFlexible: true,
    isMinor: true,
  },
]

const authorization: Column<Row> = {
  title: 'authorization',
  value: ({ authorizationHeader }) => authorizationHeader,
  width: 30,
  isFlexible: true,
}

/**
 * How rows are shown.
 *
 * @param showsCredentials also the credential of a visitor, which is hidden otherwise
 */
export function rowView(showsCredentials: boolean): View<Row> {
  if (!showsCredentials) return { columns, fields: rowFields }
  return { columns: [...columns, authorization], fields: rowFields, showsCredentials }
}

function statusStyle({ statusCode = 0 }: Row) {
  return statusCode >= 500 ? 'red' : statusCode >= 400 ? 'yellow' : undefined
}
