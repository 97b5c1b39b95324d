import { contracts, type Operation, operations } from '@cdn/api/contract'

/** The operations of the interfaces that the emulator serves. Imported contracts describe other servers. */
export const platformOperations: readonly Operation[] = operations.filter(
  ({ interface: name }) => contracts[name].source === 'spec',
)
