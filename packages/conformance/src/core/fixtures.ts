import { dirname, resolve } from 'node:path'
import { contracts } from '@cdn/api/contract'
import type { Fixtures, RunCredentials } from './check.ts'
import { SuiteConfigurationError } from './failure.ts'
import { compile, explainError, readJson } from './read-json.ts'

const id = { type: 'string', pattern: '^[0-9]{1,19}$' }
const variable = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }

/** A fixtures file: ids as decimal strings, credentials as names of environment variables. */
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['credentials'],
  properties: {
    libraryId: id,
    watermarkFile: { type: 'string', minLength: 1 },
    absentLibraryId: id,
    distantLibraryId: id,
    zoneId: id,
    absentZoneId: id,
    loggedZoneId: id,
    otherLoggedZoneId: id,
    unloggedZoneId: id,
    suspendedZoneId: id,
    disabledZoneId: id,
    credentials: {
      type: 'object',
      additionalProperties: false,
      properties: {
        accessKey: variable,
        noScopeKey: variable,
        keyByScope: { type: 'object', additionalProperties: variable },
        bearer: variable,
        expired: variable,
        noScope: variable,
        byScope: { type: 'object', additionalProperties: variable },
      },
    },
  },
} as const

const validate = compile<Fixtures>(schema)

/**
 * Reads a fixtures file and the environment variables that it names.
 *
 * @param file path of the file
 * @param env the environment
 * @returns the fixtures with the values of the credentials, and `watermarkFile` as an absolute path
 * @throws ConfigurationError in one sentence: unreadable file, invalid JSON, unknown key, invalid value, unset
 *   variable
 */
export async function readFixtures(file: string, env: NodeJS.ProcessEnv): Promise<Fixtures> {
  const parsed = await readJson(file, 'fixtures file')
  if (!validate(parsed)) throw new SuiteConfigurationError(`${file}: ${explain(validate.errors?.[0])}`)
  const { watermarkFile, credentials, ...ids } = parsed
  return {
    ...ids,
    ...(watermarkFile !== undefined && { watermarkFile: resolve(dirname(file), watermarkFile) }),
    credentials: resolveCredentials(file, credentials, env),
  }
}

function explain(error: NonNullable<typeof validate.errors>[number] | undefined): string {
  const { place, message } = explainError(error)
  if (error?.keyword === 'additionalProperties') {
    const known =
      place === 'the file' ? Object.keys(schema.properties) : Object.keys(schema.properties.credentials.properties)
    return `${message}; known are ${known.join(', ')}.`
  }
  if (error?.keyword === 'pattern') {
    return place.startsWith('credentials')
      ? `${place} must be the name of an environment variable, never the credential itself.`
      : `${place} must be an id as a decimal string.`
  }
  return `${message}.`
}

function resolveCredentials(file: string, names: RunCredentials, env: NodeJS.ProcessEnv): RunCredentials {
  const resolveOne = (key: string, name: string): string => {
    const value = env[name]
    if (value === undefined || value === '') {
      throw new SuiteConfigurationError(
        `${file}: credentials.${key} names the environment variable ${name}, which is not set.`,
      )
    }
    return value
  }
  const { byScope, keyByScope, imported: _, ...single } = names
  const resolveAll = (group: string, entries: Readonly<Record<string, string>> | undefined) =>
    entries && {
      [group]: Object.fromEntries(
        Object.entries(entries).map(([scope, name]) => [scope, resolveOne(`${group}.${scope}`, name)]),
      ),
    }
  return {
    ...Object.fromEntries(Object.entries(single).map(([key, name]) => [key, resolveOne(key, name)])),
    ...resolveAll('byScope', byScope),
    ...resolveAll('keyByScope', keyByScope),
    ...importedCredentials(env),
  }
}

/** Reads the credentials of imported interfaces from the environment variables that their contracts name. */
function importedCredentials(env: NodeJS.ProcessEnv): Pick<RunCredentials, 'imported'> {
  const schemes = Object.values(contracts).flatMap((contract) => (contract.source === 'spec' ? [] : contract.schemes))
  const values = schemes.flatMap(({ variable }) => (env[variable] ? [[variable, env[variable]]] : []))
  return values.length > 0 ? { imported: Object.fromEntries(values) } : {}
}
