import { codeOf, writeFailure } from '@cdn/kit/system-error'
import { SuiteConfigurationError } from './failure.ts'

/**
 * Runs `work`.
 *
 * @param doing the verb of the sentence, such as `write the memory`
 * @throws SuiteConfigurationError in one sentence instead of an error of the file system
 */
export async function withFileErrors<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  return work().catch((cause) => {
    throw toConfigurationError(doing, path, cause)
  })
}

/** Returns an error of the file system as one sentence, and any other error as it is. */
export function toConfigurationError(doing: string, path: string, cause: unknown): unknown {
  const code = codeOf(cause)
  if (code === undefined) return cause
  const advice = code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space.' : 'Choose a writable path.'
  return new SuiteConfigurationError(`Cannot ${doing} ${path}: ${writeFailure(code)}. ${advice}`, { cause })
}
