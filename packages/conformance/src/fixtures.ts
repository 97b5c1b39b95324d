import { dirname, resolve } from 'node:path'
import type { Credentials, Fixtures } from './check.ts'
import { ConfigurationError } from './failure.ts'
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
 * @param env where the variables are looked up
 * @returns the fixtures with credentials by value and `watermarkFile` as an absolute path
 * @throws ConfigurationError in one sentence: unreadable, no JSON, an unknown key, a value of the wrong form, an unset variable
 */
export async function readFixtures(file: string, env: NodeJS.ProcessEnv): Promise<Fixtures> {
  const parsed = await readJson(file, 'fixtures file')
  if (!validate(parsed)) throw new ConfigurationError(`${file}: ${explain(validate.errors?.[0])}`)
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

function resolveCredentials(file: string, names: Credentials, env: NodeJS.ProcessEnv): Credentials {
  const resolveOne = (key: string, name: string): string => {
    const value = env[name]
    if (value === undefined || value === '') {
      throw new ConfigurationError(
        `${file}: credentials.${key} names the environment variable ${name}, which is not set.`,
      )
    }
    return value
  }
  const { byScope, ...single } = names
  return {
    ...Object.fromEntries(Object.entries(single).map(([key, name]) => [key, resolveOne(key, name)])),
    ...(byScope && {
      byScope: Object.fromEntries(
        Object.entries(byScope).map(([scope, name]) => [scope, resolveOne(`byScope.${scope}`, name)]),
      ),
    }),
  }
}
