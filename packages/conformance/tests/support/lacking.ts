import { operations } from '@cdn/api/contract'
import { implemented } from '@cdn/emulator'

/** Operations without a handler: a new area may be in the contract before the emulator implements it. */
export const lacking = operations.filter(({ name }) => !implemented.has(name)).map(({ name }) => name)
