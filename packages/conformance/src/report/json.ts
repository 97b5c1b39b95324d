import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }

/** The value of `Report.schema`: the identifier of the published JSON Schema. */
export const reportSchemaId: string = schema.$id

/**
 * Returns the report as JSON that is valid according to `report.schema.json`.
 *
 * Lone surrogates become U+FFFD, because jq and other tools reject a file with a lone surrogate. An integer that JSON
 * readers cannot read exactly becomes a string of digits. An undefined observation becomes `null`.
 */
export function jsonReport(report: Report): string {
  const observations = report.observations.map((observation) => ({ ...observation, value: observation.value ?? null }))
  return `${JSON.stringify({ ...report, observations }, (_key, value: unknown) => plain(value), 2)}\n`
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'bigint' ? value.toString() : value
}
