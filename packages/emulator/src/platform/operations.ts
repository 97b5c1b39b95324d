import { contracts, type Operation, operations } from '@cdn/api/contract'

/** The operations of the interfaces that the emulator serves. Imported contracts describe other servers. */
export const platformOperations: readonly Operation[] = operations.filter(
  ({ interface: name }) => contracts[name].source === 'spec',
)

/** Names of the headers that carry credentials, in lower case. */
export const credentialHeaders: readonly string[] = [
  ...new Set(Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header.toLowerCase()))),
]
