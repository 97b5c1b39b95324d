import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }

/** The value of `Report.schema`: the identifier of the published JSON Schema. */
export const reportSchemaId: string = schema.$id

/**
 * The report as JSON, valid by `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, because jq and other tools reject a whole file for one. An integer beyond the exact
 * range of JSON readers becomes a string of digits. An undefined observation becomes `null`.
 */
export function jsonReport(report: Report): string {
  const observations = report.observations.map((observation) => ({ ...observation, value: observation.value ?? null }))
  return `${JSON.stringify({ ...report, observations }, (_key, value: unknown) => plain(value), 2)}\n`
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'bigint' ? value.toString() : value
}
