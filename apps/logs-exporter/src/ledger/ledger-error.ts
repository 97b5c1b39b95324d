/** The ledger cannot be used, said in one sentence. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
}
