import { parseArgs } from 'node:util'
import { ConfigurationError } from '../failure.ts'

/** The options of `conformance adopt`, checked. */
export interface AdoptOptions {
  /** Folder of the reports; the newest of the usual ones where absent. */
  readonly from?: string
  /** Where the overlays go; the folder of the reports where absent. */
  readonly out?: string
  /** Where a baseline goes, in place of overlays. */
  readonly baseline?: string
}

/**
 * Reads the options of `conformance adopt`.
 *
 * @throws ConfigurationError in one sentence for anything unknown, contradictory or without a value
 */
export function parseAdoptOptions(args: readonly string[]): AdoptOptions {
  const known = { from: { type: 'string' }, out: { type: 'string' }, baseline: { type: 'string' } } as const
  let values: AdoptOptions
  try {
    values = parseArgs({ args: [...args], options: known, strict: true }).values
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new ConfigurationError(`${reason.replace(/\.$/, '')}; adopt knows --from, --out and --baseline.`)
  }
  if (values.out !== undefined && values.baseline !== undefined) {
    throw new ConfigurationError('--out is for overlays and --baseline for a baseline; give one of them.')
  }
  return values
}
