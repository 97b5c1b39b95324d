import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }

/** What `Report.schema` holds: the identifier of the published JSON Schema. */
export const reportSchemaId: string = schema.$id

/**
 * The report as JSON, valid by `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, since jq and others refuse a whole file for one; an integer beyond what JSON readers
 * keep exact is written as a string of digits; an observation of nothing is `null`.
 */
export function toJson(report: Report): string {
  const observations = report.observations.map((observation) => ({ ...observation, value: observation.value ?? null }))
  return `${JSON.stringify({ ...report, observations }, (_key, value: unknown) => plain(value), 2)}\n`
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'bigint' ? value.toString() : value
}
