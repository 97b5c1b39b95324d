const factor = Number(process.env['CDN_PROPERTY_FACTOR'] ?? 1)

/**
 * Returns the number of cases of a property test. `CDN_PROPERTY_FACTOR` multiplies it.
 *
 * @param runs number of cases in `npm test`; keep it small, because `npm test` must be fast
 */
export function propertyRuns(runs: number): number {
  return runs * factor
}
