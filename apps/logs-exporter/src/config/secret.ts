import { readFile } from 'node:fs/promises'
import { ConfigurationError } from './configuration-error.ts'

/** Where a secret stands: the name of an environment variable, or the path of a file. Never the secret itself. */
export type Secret = { readonly env: string } | { readonly file: string }

/**
 * Reads a secret where it stands now; a file may have been replaced since the last time.
 *
 * @param secret where; a relative path starts at the working directory
 * @param env the environment
 * @returns its text without the line end that editors add
 * @throws ConfigurationError where it is missing, empty, or of several lines, which nothing takes; the sentence names the
 *   place, never the content
 */
export async function readSecret(secret: Secret, env: NodeJS.ProcessEnv): Promise<string> {
  if ('env' in secret) {
    const value = env[secret.env]
    if (value) return onOneLine(value, `The environment variable ${secret.env}`)
    throw new ConfigurationError(
      `The environment variable ${secret.env} must hold a secret; it is ${value === '' ? 'empty' : 'not set'}.`,
    )
  }
  const text = await readFile(secret.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`The file ${secret.file} must hold a secret; it cannot be read (${error.code}).`)
  })
  const value = text.replace(/\r?\n$/, '')
  if (value) return onOneLine(value, `The file ${secret.file}`)
  throw new ConfigurationError(`The file ${secret.file} must hold a secret; it is empty.`)
}

function onOneLine(value: string, place: string): string {
  if (/[\r\n]/.test(value))
    throw new ConfigurationError(`${place} must hold a secret of one line; it has a line break.`)
  return value
}
