import { defined } from '@cdn/kit/defined'

/** The parts of a version, from no change to a breaking change. */
export const bumps = ['none', 'patch', 'minor', 'major'] as const
export type Bump = (typeof bumps)[number]

/** Returns the largest of several bumps; `none` if the list is empty. */
export function maxBump(all: readonly Bump[]): Bump {
  return defined(bumps[Math.max(0, ...all.map((bump) => bumps.indexOf(bump)))])
}

/** One change, and the part of the version that it requires. */
export interface Change {
  readonly impact: Bump
  /** A JSON pointer or an operation. */
  readonly path: string
  readonly kind: string
  readonly property?: string
}
