/** Validates JSON files that users write, and data that a run keeps for later runs, by the schemas in `src/schemas/`. */

import { assertDefined } from '@cdn/kit/assert-defined'
import { readInputFile } from '@cdn/kit/input-file'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Schemas } from '../gen/schemas.ts'
import files from '../schemas/files.schema.json' with { type: 'json' }
import report from '../schemas/report.schema.json' with { type: 'json' }
import { SuiteConfigurationError } from './failure.ts'
import { parseOrUndefined } from './response.ts'

// Do not validate the schemas themselves: they are part of the suite, and this would take longer than to compile them.
const ajv = new Ajv2020({ meta: false, validateSchema: false, verbose: true, schemas: [files, report] })

/** Returns the validator of a schema in `files.schema.json`. */
export function validatorOf<Name extends keyof Schemas>(schema: Name): ValidateFunction<Schemas[Name]> {
  return assertDefined(ajv.getSchema<Schemas[Name]>(`${files.$id}#/$defs/${schema}`))
}

/**
 * Reads a JSON file that the user wrote, and validates it.
 *
 * @param name what the file is, for messages, such as `fixtures file`
 * @param hint a clause about the right form, for the sentence about an invalid file
 * @throws SuiteConfigurationError in one sentence if the file cannot be read, is invalid JSON, or is invalid
 */
export async function readJson<Name extends keyof Schemas>(
  file: string,
  name: string,
  schema: Name,
  hint?: string,
): Promise<Schemas[Name]> {
  const text = await readInputFile(file).then(String, (error: NodeJS.ErrnoException) => {
    throw new SuiteConfigurationError(`${file}: the ${name} cannot be read (${error.code}).`)
  })
  const value = parseOrUndefined(text)
  if (value === undefined) throw new SuiteConfigurationError(`${file}: invalid JSON in the ${name}.`)
  const validate = validatorOf(schema)
  if (validate(value)) return value
  const clauses = [clauseOf(assertDefined(validate.errors?.[0])), ...(hint === undefined ? [] : [hint])]
  throw new SuiteConfigurationError(`${file}: ${clauses.join('; ')}.`)
}

/** Describes an error without the invalid value, which may be a credential. The title of a schema says what it expects. */
function clauseOf({ instancePath, keyword, params, message, parentSchema = {} }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the file'
  if (keyword === 'additionalProperties')
    return `unknown key ${JSON.stringify(params['additionalProperty'])} in ${place}; known are ${Object.keys(parentSchema['properties']).join(', ')}`
  const { title } = parentSchema
  if (keyword === 'required') return `${place} must have the key ${JSON.stringify(params['missingProperty'])}`
  const stated = keyword === 'type' ? `must be ${article(String(params['type']))}` : message
  return `${place} ${(keyword === 'pattern' || keyword === 'type') && title ? `must be ${title}` : stated}`
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}
