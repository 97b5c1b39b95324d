/** One line of the table: a figure of ours, and what it is held against. */
export interface Row {
  readonly what: string
  /** As measured, with its unit. */
  readonly ours: string
  /** Name and figure of the peer, measured in the same run; or the bound alone. */
  readonly peer: string
  /** What the figure must be, in words. */
  readonly bound: string
  readonly met: boolean
}

/** A measurement of one kind of thing. */
export interface Measurement {
  /** For the command line. */
  readonly name: string
  run(): Promise<Row[]>
}

/** @returns a number to three digits, thousands apart */
export function digits(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
