import type { components, paths } from '../gen/logging.ts'

/** The path of version 2 (§4.3). */
export const queryPath = '/v2/pullzones/{pullZoneId}/logs'

/** One request, as version 2 shows it. Unknown fields and cache statuses are passed on unchanged. */
export interface LogRow extends Readonly<LogEntry> {
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/** The filters of version 2. The platform applies `country` and `search` after it fetches a page, which costs more requests. */
export type LogFilters = Readonly<
  Omit<NonNullable<paths[typeof queryPath]['get']['parameters']['query']>, 'from' | 'to' | 'limit' | 'offset' | 'order'>
>
