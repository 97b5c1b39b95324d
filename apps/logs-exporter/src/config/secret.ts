import { readFile } from 'node:fs/promises'
import { ConfigurationError } from '../errors.ts'

/** Where a secret is: the name of an environment variable, or the path of a file. Never the secret itself. */
export type Secret = { readonly env: string } | { readonly file: string }

/**
 * Reads the current value of a secret. A file may have been replaced since the last read.
 *
 * @param secret where the secret is; a relative path starts at the working directory
 * @param env the environment
 * @returns the text without the final line break that editors add
 * @throws ConfigurationError if the secret is missing, empty, or has several lines. The message names the place, never the
 *   content
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

/** Reads secrets by name, as {@link readSecret} does. */
export async function readSecrets<Names extends { readonly [name: string]: Secret }>(
  secrets: Names,
  env: NodeJS.ProcessEnv,
): Promise<{ [Name in keyof Names]: string }> {
  const entries = Object.entries(secrets).map(async ([name, secret]) => [name, await readSecret(secret, env)] as const)
  return Object.fromEntries(await Promise.all(entries)) as { [Name in keyof Names]: string } // safe: the same names
}
