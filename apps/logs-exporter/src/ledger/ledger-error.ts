/** Means that the ledger cannot be used. The message is one sentence. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
}
