/** Where a zone is. Times in ms since 1970 by the platform's clock. */
export interface ZonePosition {
  readonly zone: string
  /** The start of its oldest open window; undefined where it was never exported. */
  readonly position: number | undefined
  /** When that must have been read. */
  readonly deadline: number | undefined
  /** Since when it has work that nobody does, where a database says so for all processes; `Infinity` where it has none. */
  readonly due?: number
}
