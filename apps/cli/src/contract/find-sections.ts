import { contracts, type NotShown, type Operation } from '@cdn/api/contract'

/** What the document says about an operation. */
export interface Standing {
  /** Its section, such as `4.1`; undefined where only the supplement shows the operation. */
  readonly section: string | undefined
  /** Every other section with a sentence about it. */
  readonly others: readonly string[]
  /** What the document leaves open about it. */
  readonly notShown: readonly NotShown[]
}

/** Finds an operation's sections by its requirements, and what is not shown about it. */
export function standingOf({ interface: name, name: operation, ground }: Operation): Standing {
  const isOwn = ({ id }: { readonly id: string }) => id.startsWith(`${name}.${operation}.`)
  const { requirements, notShown } = contracts[name]
  const sections = new Set(
    requirements.filter((entry) => isOwn(entry) && entry.ground === 'document').map(({ section }) => section),
  )
  const own = [...sections].find((section) => section.startsWith('4.'))
  return {
    section: ground === 'document' ? own : undefined,
    others: [...sections].filter((section) => section !== own).sort(),
    notShown: notShown.filter(isOwn),
  }
}
