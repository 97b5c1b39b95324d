import { contracts } from '@cdn/api/contract'

/** Names of the headers that carry credentials, in lower case. */
export const credentialHeaders: readonly string[] = [
  ...new Set(Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header.toLowerCase()))),
]
