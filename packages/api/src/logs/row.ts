import type { components, paths } from '../gen/logging.ts'

/** The path of version 2 (§4.3). */
export const queryPath = '/v2/pullzones/{pullZoneId}/logs'

/** One request, as version 2 shows it. Fields and cache statuses that the contract does not know come through as they are. */
export interface LogRow extends Readonly<LogEntry> {
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/** The filters of version 2. `country` and `search` are applied after a page is fetched, which costs more requests. */
export type LogFilters = Readonly<
  Omit<NonNullable<paths[typeof queryPath]['get']['parameters']['query']>, 'from' | 'to' | 'limit' | 'offset' | 'order'>
>
