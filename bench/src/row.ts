/** One row of the table: our figure, and the figure or bound that it is compared with. */
export interface Row {
  readonly what: string
  readonly ours: string
  /** Name and figure of the peer, measured in the same run; empty without a peer. */
  readonly peer: string
  readonly bound: string
  readonly met: boolean
}

/** A measurement with one or more rows. */
export interface Measurement {
  readonly name: string
  run(): Promise<Row[]>
}

/** @returns the number as text, with three significant digits and thousands separators */
export function digits(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
