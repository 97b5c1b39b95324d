import { writeFailure } from '@cdn/kit/system-error'
import { SuiteConfigurationError } from './failure.ts'

/** Runs `work`. @throws SuiteConfigurationError in one sentence instead of an error of the file system */
export async function orSay<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    const code = String(cause.code)
    const advice = code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space.' : 'Choose a writable path.'
    throw new SuiteConfigurationError(`Cannot ${doing} ${path}: ${writeFailure(code)}. ${advice}`, { cause })
  }
}
