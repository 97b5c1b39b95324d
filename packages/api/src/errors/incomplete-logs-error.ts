/** A reader cannot prove that it has every row of a range. It throws this error instead of omitting rows. */
export class IncompleteLogsError extends Error {
  override readonly name = 'IncompleteLogsError'
  readonly pullZoneId: number | bigint
  /** The gap as ISO 8601 times: `from` is inclusive, `to` exclusive. `readLogs` has handed out every row before `from`. */
  readonly gap: { readonly from: string; readonly to: string }

  constructor(pullZoneId: number | bigint, from: number, to: number, why: string) {
    const gap = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    super(`Logs of pull zone ${pullZoneId} from ${gap.from} to ${gap.to} cannot be read completely: ${why}`)
    this.pullZoneId = pullZoneId
    this.gap = gap
  }

  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message, pullZoneId: String(this.pullZoneId) } // without the types of the fields
  }
}
