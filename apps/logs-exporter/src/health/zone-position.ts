/** Progress of a zone. Times in ms since 1970 by the platform's clock. */
export interface ZonePosition {
  readonly zone: string
  /** Start of its oldest open window; undefined if the zone was never exported. */
  readonly position: number | undefined
  /** Time until which that window must be read. */
  readonly deadline: number | undefined
}
