/** Progress of a zone. Times are in ms since 1970 by the platform's clock. */
export interface ZonePosition {
  readonly zone: string
  /** Start of the zone's oldest open window; undefined if the zone was never exported. */
  readonly position: number | undefined
  /** That window must be read until this time. */
  readonly deadline: number | undefined
}
