import type { OpenApi, Schema } from '@cdn/api/contract'
import { UsageError } from '../errors/command-error.ts'
import { kebabCase } from './names.ts'

/**
 * Holds a JSON body against the contract before it is sent.
 *
 * @param api the document that references of the schema are relative to
 * @param option how the body is given, for messages
 * @throws UsageError that names the field and what it must be
 */
export async function checkBody(schema: Schema, text: string, api: OpenApi, option: string): Promise<void> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new UsageError(`${option} is no JSON`)
  }
  const { default: Ajv } = await import('ajv/dist/2020.js')
  const ajv = new Ajv.default({ strict: false, validateFormats: false })
  const validate = ajv.compile({ ...schema, components: api.components })
  if (validate(body)) return
  const { instancePath = '', keyword = '', params = {}, message = 'does not fit' } = validate.errors?.[0] ?? {}
  if (keyword === 'required') {
    const name = String(params['missingProperty'])
    throw new UsageError(`The body has no ${name}: give --${kebabCase(name)}, or the field in ${option}`)
  }
  const place = instancePath === '' ? 'The body' : `The body's ${instancePath.slice(1).replaceAll('/', '.')}`
  throw new UsageError(`${place} ${message}`)
}
