import { readFile } from 'node:fs/promises'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { SuiteConfigurationError } from './failure.ts'

export { parseOrUndefined } from '@cdn/api/drift'

// The schemas are parts of the suite. To check them would take longer than to compile them.
const ajv = new Ajv2020({ meta: false, validateSchema: false })

/**
 * Reads a JSON file that the user wrote.
 *
 * @param file path of the file
 * @param name what the file is, for messages, such as `fixtures file`
 * @throws SuiteConfigurationError in one sentence if the file cannot be read or is invalid JSON
 */
export async function readJson(file: string, name: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SuiteConfigurationError(`${file}: the ${name} cannot be read (${error.code}).`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new SuiteConfigurationError(`${file}: invalid JSON in the ${name}.`)
  }
}

/** Compiles a schema of the suite for a JSON file. */
export function compile<T>(schema: object): ValidateFunction<T> {
  return ajv.compile<T>(schema)
}

/** Returns the place of an error in a file, as a path of keys, and a clause that explains the error. */
export function explainError(error: ErrorObject | undefined): { place: string; message: string } {
  const place = error?.instancePath.slice(1).replaceAll('/', '.') || 'the file'
  const additionalProperty: string | undefined = error?.params['additionalProperty']
  if (additionalProperty !== undefined)
    return { place, message: `unknown key ${JSON.stringify(additionalProperty)} in ${place}` }
  return { place, message: `${place} ${error?.message ?? 'is not valid'}` }
}
