import type { LogStatistics } from './summary.ts'

/** The columns of `cdn logs stats` in CSV. They never change, so that summaries can be appended to a file. */
export const summaryFields = [
  ...['pullZoneId', 'from', 'to', 'field', 'value', 'requests', 'share'],
  ...['error', 'hitRatio', 'serverErrors', 'bytes'],
]

/**
 * The rows of a summary in CSV: the total, then one row per field and value, then one per step of the timeline. The rows that are
 * not counted by value have the field `total`, `time` or, for the values beyond `--top`, `FIELD.others`.
 */
export function summaryRows(summary: LogStatistics): Readonly<Record<string, unknown>>[] {
  const { by, overTime, requests: all, ...total } = summary
  const { pullZoneId, from, to } = total
  const range = { pullZoneId, from, to }
  const shareOf = (requests: number) => (all === 0 ? null : requests / all)
  const counted = (requests: number) => ({ requests, share: shareOf(requests) })
  const byValue = Object.entries(by).flatMap(([field, { values, others, error }]) => [
    ...values.map((value) => ({ ...range, field, ...value, error })),
    ...(others > 0 ? [{ ...range, field: `${field}.others`, ...counted(others) }] : []),
  ])
  const steps = overTime.points.map(({ requests, ...point }) => {
    const end = new Date(Date.parse(point.from) + overTime.stepMs).toISOString()
    return { pullZoneId, ...point, to: end, field: 'time', ...counted(requests) }
  })
  return [{ ...total, field: 'total', ...counted(all) }, ...byValue, ...steps]
}
