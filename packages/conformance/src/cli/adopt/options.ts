import { parseArgs } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { SuiteConfigurationError } from '../../core/failure.ts'

/** The options of `conformance adopt`, checked. */
export interface AdoptOptions {
  /** Folder of the reports; by default the newest of the default folders. */
  readonly from?: string
  /** Folder for the overlays; by default the folder of the reports. */
  readonly out?: string
  /** File for a baseline, instead of overlays. */
  readonly baseline?: string
}

/**
 * Parses the options of `conformance adopt`.
 *
 * @throws ConfigurationError in one sentence for an unknown option, a contradiction or a missing value
 */
export function parseAdoptOptions(args: readonly string[]): AdoptOptions {
  const known = { from: { type: 'string' }, out: { type: 'string' }, baseline: { type: 'string' } } as const
  let values: AdoptOptions
  try {
    values = parseArgs({ args: [...args], options: known, strict: true }).values
  } catch (error) {
    const reason = defined((error instanceof Error ? error.message : String(error)).split('. ')[0])
    throw new SuiteConfigurationError(`${reason.replace(/\.$/, '')}; adopt knows --from, --out and --baseline.`)
  }
  if (values.out !== undefined && values.baseline !== undefined) {
    throw new SuiteConfigurationError('--out is for overlays and --baseline for a baseline; give one of them.')
  }
  return values
}
