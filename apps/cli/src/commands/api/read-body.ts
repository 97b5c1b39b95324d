import { contracts, type Schema } from '@cdn/api/contract'
import type { Context } from '../../context/context.ts'
import { readBody } from '../../contract/body.ts'
import { parseExact } from '../../contract/exact-json.ts'
import { fieldOf, flatten, propertiesOf } from '../../contract/schema.ts'
import { UsageError } from '../../errors/command-error.ts'
import { toJson } from '../../output/json.ts'
import { readPairs } from './read-pairs.ts'
import type { ApiInput, Known } from './run.ts'

/** The body as it goes out. */
export interface Body {
  readonly body?: Uint8Array<ArrayBuffer>
  readonly type?: string
}

/**
 * Makes the body of `--field` or `--input`.
 *
 * @throws UsageError where both are given, or a field is not of the type that the contract states
 */
export async function readBodyOf(
  context: Context,
  { interface: name, requestBody }: Known,
  { field, input, force }: ApiInput['options'],
): Promise<Body> {
  const types = Object.keys(requestBody?.content ?? {})
  if (input !== undefined) {
    if (field.length > 0) throw new UsageError('--field and --input are both given: one of them makes the body')
    const body = await readBody(context, input === '-' ? '-' : `@${input.replace(/^@/, '')}`, '--input')
    return { body, type: types[0] ?? 'application/json' }
  }
  if (field.length === 0) return {}
  const schema = requestBody?.content['application/json']
  const api = contracts[name].openapi.full
  const properties = schema ? propertiesOf(flatten(schema, api)) : {}
  const fields = readPairs(field, '--field').map(([key, text]) => {
    const property = properties[key]
    return [key, property && !force ? readField(key, text, property, name, context.now()) : guess(text)] as const
  })
  return { body: new Uint8Array(Buffer.from(toJson(Object.fromEntries(fields)))), type: 'application/json' }
}

function readField(name: string, text: string, schema: Schema, of: Known['interface'], now: Date): unknown {
  const { value, isList } = fieldOf(schema, contracts[of].openapi.full)
  const parsed = value.parse(text, now)
  if (parsed !== undefined) return isList ? [parsed] : parsed
  throw new UsageError(`--field ${name} must be ${value.must}, not ${JSON.stringify(text)}`)
}

/** A field that the contract does not know: JSON where it is JSON, else a text. */
function guess(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}
