import { dirname, resolve } from 'node:path'
import { envOf, variableText } from '@cdn/kit/env'
import type { Fixtures } from '../exchange/check.ts'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { readJson } from '../exchange/read-json.ts'

/**
 * Reads a fixtures file and the environment variables that it names.
 *
 * @returns the fixtures with the values of the credentials, and `watermarkFile` as an absolute path
 * @throws SuiteConfigurationError in one sentence: unreadable file, invalid JSON, unknown key, invalid value, unset
 *   variable
 */
export async function readFixtures(file: string, env: NodeJS.ProcessEnv): Promise<Fixtures> {
  const { watermarkFile, credentials, ...ids } = await readJson(file, 'fixtures file', 'Fixtures')
  return {
    ...ids,
    ...(watermarkFile !== undefined && { watermarkFile: resolve(dirname(file), watermarkFile) }),
    credentials: Object(valuesOf(file, 'credentials', credentials, env)),
  }
}

function valuesOf(file: string, key: string, name: unknown, env: NodeJS.ProcessEnv): unknown {
  if (typeof name !== 'string')
    return Object.fromEntries(
      Object.entries(Object(name)).map(([inner, each]) => [inner, valuesOf(file, `${key}.${inner}`, each, env)]),
    )
  const value = envOf(env, name)
  if (!value) throw new SuiteConfigurationError(`${file}: ${key} names ${variableText(name)}, which is not set.`)
  return value
}
