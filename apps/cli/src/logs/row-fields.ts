import { type LoggingComponents, rowFields } from '@cdn/api'
import type { View } from '../output/render.ts'
import type { TableColumn } from '../output/table.ts'

type Row = Partial<LoggingComponents['schemas']['LogEntry']>

/** All rows are of one zone, so the path comes before the host. */
const columns: readonly TableColumn<Row>[] = [
  { title: 'time', value: ({ timestamp }) => timestamp, width: 19, isKey: true },
  { title: 'status', value: ({ statusCode }) => statusCode, align: 'right', isKey: true, style: statusStyle },
  { title: 'cache', value: ({ cacheStatus }) => cacheStatus, width: 11, isKey: true },
  { title: 'path', value: ({ path }) => path, width: 48, isKey: true, isFlexible: true },
  { title: 'bytes', value: ({ bytesSent }) => bytesSent, width: 9, align: 'right' },
  { title: 'country', value: ({ countryCode }) => countryCode },
  { title: 'host', value: ({ host }) => host, width: 24, isFlexible: true },
  { title: 'address', value: ({ remoteIp }) => remoteIp, width: 15 },
  { title: 'edge', value: ({ edgeLocation }) => edgeLocation },
  { title: 'agent', value: ({ userAgent }) => userAgent, width: 24, isFlexible: true },
]

/** @param showsSecrets whether the output shows the visitor's credential */
export function rowView(showsSecrets: boolean) {
  const view = { columns, fields: rowFields } satisfies View<Row>
  if (!showsSecrets) return view
  const value = ({ authorizationHeader }: Row) => authorizationHeader
  const authorization = { title: 'authorization', value, width: 30, isKey: true, isFlexible: true } as const
  return { ...view, columns: [...columns, authorization] }
}

function statusStyle({ statusCode = 0 }: Row) {
  return statusCode >= 500 ? 'red' : statusCode >= 400 ? 'yellow' : undefined
}
