/** A write named an epoch that is over: another worker owns the zone now. The lease is to be dropped; nothing is lost. */
export class FencedError extends Error {
  override readonly name = 'FencedError'

  constructor(zone: string, epoch: number) {
    super(`Zone ${zone} has another owner: epoch ${epoch} is over.`)
  }
}
