import { envOf, variableText } from '@cdn/kit/env'
import { readInputFile } from '@cdn/kit/input-file'
import { ConfigurationError } from '../errors.ts'

/** Where a secret is: the name of an environment variable, or the path of a file. Never the secret itself. */
export type Secret = { readonly env: string } | { readonly file: string }

/**
 * Reads the current value of a secret. A file may have been replaced since the last read.
 *
 * @param secret where the secret is; a relative path starts at the working directory
 * @param env the environment
 * @returns the text of the variable, or of the file without the final line break that editors add
 * @throws ConfigurationError if the secret is missing, empty, or has several lines. The message names the place, never the
 *   content
 */
export async function readSecret(secret: Secret, env: NodeJS.ProcessEnv): Promise<string> {
  if ('env' in secret) {
    const value = envOf(env, secret.env)
    const variable = variableText(secret.env).replace(/^[at]/, (letter) => letter.toUpperCase())
    if (value) return onOneLine(value, variable)
    throw new ConfigurationError(`${variable} must hold a secret; it is ${value === '' ? 'empty' : 'not set'}.`)
  }
  const text = await readInputFile(secret.file).then(String, (error: NodeJS.ErrnoException) => {
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

/**
 * Reads every secret within some settings once, so that all mistakes are reported at the start.
 *
 * @throws ConfigurationError with one line per secret that cannot be read: the setting, and what is wrong
 */
export async function checkSecrets(settings: object, env: NodeJS.ProcessEnv): Promise<void> {
  const mistakes: string[] = []
  for (const [setting, secret] of secretsOf(settings))
    await readSecret(secret, env).catch(({ message }) => mistakes.push(`${setting}: ${message}`))
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join('\n'))
}

/** The secrets in a value, with the settings that name them. */
function secretsOf(value: unknown, setting = ''): [setting: string, secret: Secret][] {
  if (typeof value !== 'object' || value === null) return []
  const [[key, place] = [], ...others] = Object.entries(value)
  if (typeof place === 'string' && others.length === 0 && (key === 'env' || key === 'file'))
    return [[setting, value as Secret]] // safe: it has the form of a secret
  return Object.entries(value).flatMap(([name, inner]) => {
    const step = Array.isArray(value) ? `[${name}]` : setting && `.${name}`
    return secretsOf(inner, setting ? `${setting}${step}` : name)
  })
}
