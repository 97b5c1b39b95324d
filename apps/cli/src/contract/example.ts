import type { Operation, Schema } from '@cdn/api/contract'
import type { Example } from '../command/command.ts'
import { quote } from '../platform/curl.ts'
import { kebabCase } from './names.ts'
import { jsonBodySchema, propertiesOf } from './schema.ts'

/** Ids that the emulator knows, by the resource in the path. */
const ids: Readonly<Record<string, string>> = { videolibrary: '1001', pullzone: '2001', pullzones: '2002' }

/**
 * Makes an example that runs against the emulator: ids that it knows, and values of the right type for whatever is required.
 */
export function exampleOf(operation: Operation): Example {
  const schema = jsonBodySchema(operation)
  const properties = schema ? propertiesOf(schema) : {}
  const required = (schema?.['required'] as readonly string[] | undefined) ?? []
  const words = [
    ...['cdn', kebabCase(operation.area), operation.name],
    ...pathValues(operation),
    ...required.flatMap((name) => [`--${kebabCase(name)}`, quote(exampleValue(name, properties[name] ?? {}))]),
    ...(operation.requestBody && !schema ? ['--body', '@watermark.png'] : []),
    ...(operation.effect === 'destructive' ? ['--yes'] : []),
  ]
  return { text: operation.summary, line: words.join(' ') }
}

function pathValues({ path, parameters }: Operation): string[] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) =>
    [...segment.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      if (name === 'date') return '$(date -u +%m-%d-%y)'
      const known = ids[segments[index - 1] ?? ''] ?? (/id$/i.test(name) ? '2002' : undefined)
      return known ?? quote(exampleValue(name, parameters.find((parameter) => parameter.name === name)?.schema ?? {}))
    }),
  )
}

function exampleValue(name: string, schema: Schema): string {
  const [first] = [schema['enum'] ?? []].flat()
  if (first !== undefined) return String(first)
  const types = [schema['type']].flat()
  if (types.includes('integer') || types.includes('number')) return String(schema['minimum'] ?? 1)
  if (types.includes('boolean')) return 'true'
  return /host/i.test(name) ? '*.example.com' : 'example'
}
