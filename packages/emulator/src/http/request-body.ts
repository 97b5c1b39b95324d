import { contracts, type Operation } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'
import { validatorOf } from './ajv.ts'
import type { Call } from './call.ts'
import type { Problem } from './refuse.ts'

/** A body as the operation takes it: a JSON value, bytes, or nothing; or what is wrong with it. */
export type ReadBody = { readonly value: unknown } | { readonly problem: Problem }

/**
 * Reads the body by the contract: JSON is parsed and held against its schema, any other media type is bytes.
 * An operation that takes no body reads none (§4.1).
 */
export async function readBody(operation: Operation, call: Call, variants: Variants): Promise<ReadBody> {
  const stated = operation.requestBody
  if (!stated) return { value: undefined }
  const schema = stated.content['application/json']
  if (!schema) return { value: await call.body() }

  const bytes = await call.body()
  if (bytes.length === 0 && !stated.required) return { value: undefined }
  const mediaType = call.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json' && variants.wrongContentType === 'refused')
    return { problem: { message: 'The request must be sent with Content-Type: application/json.' } }
  const value = parse(bytes)
  if (value === undefined) return { problem: { message: 'The request body must be JSON.' } }
  const validate = validatorOf(schema, contracts[operation.interface].openapi.full)
  if (validate(value)) return { value }
  const error = validate.errors?.[0]
  const field = String(error?.params['missingProperty'] ?? error?.instancePath.split('/')[1] ?? '')
  return {
    problem: {
      message: field ? `The field ${field} is missing or not valid.` : 'The request body is not valid.',
      field,
    },
  }
}

/** The JSON value, or undefined where the bytes are no JSON text in UTF-8. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
