import type { Source } from '@cdn/api/contract'

/** A point at which the specification leaves the platform's behaviour open, and the permitted behaviours. */
export interface VariantPoint {
  /** The open behaviour. */
  readonly text: string
  /** The permitted behaviours; the first is the default. */
  readonly values: readonly [string | number, ...(string | number)[]]
  /** Reason for the default. */
  readonly reason: string
  /** Basis of the default: public facts (`supplement`), or our choice (`unspecified`). */
  readonly source: Exclude<Source, 'spec'> | 'unspecified'
  /** Location of the point: a section of the spec, or a heading of the supplement. */
  readonly section: string
}
