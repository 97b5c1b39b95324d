import { contracts, type Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { parseJson } from '@cdn/kit/json'
import { toNumbers, validatorOf } from '../contract/validation.ts'
import type { EmulatorRequest } from '../exchange/messages.ts'
import type { ErrorContent } from '../exchange/refuse.ts'
import type { Variants } from '../variants/variants.ts'

/** The body of a request (a JSON value, bytes, or undefined), or the reason why it is invalid. */
export type BodyResult = { readonly value: unknown } | { readonly problem: ErrorContent }

/** Maximum size of a request body in bytes. The figure is above any watermark limit. */
export const maxBody = 32 * 1024 * 1024

/** The request body is above `maxBody`. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'

  constructor() {
    super(`The request body has more than ${maxBody} bytes.`)
  }
}

/** Whether the Content-Length of a request is above the operation's limit. The platform refuses such a request without reading its body. */
export function isTooLarge(operation: Operation, call: EmulatorRequest, { watermarkLimit }: Variants): boolean {
  const limit = operation.responses.some(({ status }) => status === '413') ? watermarkLimit : maxBody
  return operation.requestBody !== undefined && Number(call.headers.get('content-length') ?? 0) > limit
}

/**
 * Reads a body according to the contract. JSON is parsed and validated; a body of another media type is returned as bytes. If
 * the operation has no request body, the body is not read (§4.1).
 */
export async function readRequestBody(
  operation: Operation,
  call: EmulatorRequest,
  variants: Variants,
): Promise<BodyResult> {
  const stated = operation.requestBody
  if (!stated) return { value: undefined }
  const schema = stated.content['application/json']
  if (!schema) return { value: await call.body() }

  const bytes = await call.body()
  if (bytes.length === 0 && !stated.required) return { value: undefined }
  const mediaType = call.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json' && variants.wrongContentType === 'refused')
    return { problem: { message: 'The request must be sent with Content-Type: application/json.' } }
  const { value, numbers } = parseBody(bytes)
  if (value === undefined) return { problem: { message: 'The request body must be JSON.' } }
  const validate = validatorOf(schema, contracts[operation.interface].openapi.full)
  if (validate(numbers)) return { value }
  const { params, instancePath, message } = assertDefined(validate.errors?.[0])
  const field = String(params['missingProperty'] ?? instancePath.split('/')[1] ?? '')
  return { problem: { message: `Invalid ${instancePath ? `field ${field}` : 'request body'}: it ${message}.`, field } }
}

/**
 * Parses JSON, with long integers as bigint, and in `numbers` as numbers. The value is undefined if the bytes are not JSON text in
 * UTF-8, or are nested too deeply.
 */
export function parseBody(bytes: Uint8Array): { value: unknown; numbers?: unknown } {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return { value, numbers: toNumbers(value) }
  } catch {
    return { value: undefined }
  }
}
