/** The right to work on a zone for a while. */
export interface Lease {
  readonly zone: string
  /** Grows with every owner; every write names it. 0 without a fleet. */
  readonly epoch: number
  /** Fires when the lease is lost or about to end: all I/O for the zone stops before that. */
  readonly signal: AbortSignal
}

/** Shares zones between workers: with one process all zones are its own. */
export interface Coordinator {
  /** Takes the zone that is due next and nobody else has; waits for one; undefined when `signal` fires. */
  claim(signal: AbortSignal): Promise<Lease | undefined>
  /** Gives it back, with when it has work again, in ms since 1970, and the time nearest to a loss (its deadline). */
  release(lease: Lease, nextDue: number, deadline: number): Promise<void>
  close(): Promise<void>
}
