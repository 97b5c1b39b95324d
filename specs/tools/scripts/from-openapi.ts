/** Copies the path items of one tag of an OpenAPI file into the YAML of an area. The lint says what is left to write. */
import { camelCase, kebabCase } from '@cdn/kit/case'
import { isRecord, toRecord } from '@cdn/kit/record'
import { decodeStep } from '@cdn/kit/reference'
import { Document, isScalar, parse, visit } from 'yaml'

/** The YAML of an area, and its keys by path. */
export interface CopiedArea {
  readonly yaml: string
  readonly keys: ReadonlyMap<string, string>
}

/**
 * Copies the operations with a tag, and what they refer to.
 *
 * @param text the OpenAPI file, as YAML or JSON
 * @throws RangeError in one sentence if the file has no path, or none with the tag
 */
export function copyArea(text: string, area: string): CopiedArea {
  const api = toRecord(parse(text))
  const paths = Object.entries(toRecord(api['paths'])).flatMap(([path, item]) => {
    const { parameters, ...operations } = toRecord(item)
    const own = Object.entries(operations).filter(([, each]) => tagsOf(each).includes(area))
    return own.length > 0
      ? [[path, { ...(parameters !== undefined && { parameters }), ...Object.fromEntries(own) }] as const]
      : []
  })
  if (paths.length === 0) {
    const tags = new Set(
      Object.values(toRecord(api['paths'])).flatMap((item) => Object.values(toRecord(item)).flatMap(tagsOf)),
    )
    throw new RangeError(
      `The file has no operation with the tag \`${area}\`: expected one of ${[...tags].join(', ') || 'its tags'}.`,
    )
  }
  const keys = new Map(
    paths.map(([path]) => [
      path,
      camelCase(kebabCase(path.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, ''))),
    ]),
  )
  const items = Object.fromEntries(paths.map(([path, item]) => [keys.get(path) ?? '', convert(item)]))
  const components = convert(componentsOf(api, items))
  const head = `# Area: ${area}. One key per path item; \`openapi.yaml\` states its path.\n`
  const yaml = new Document(
    { ...items, ...(Object.keys(components).length > 0 && { components }) },
    { aliasDuplicateObjects: false },
  )
  visit(yaml, {
    Seq(_, list) {
      list.flow = list.items.every(isScalar)
    },
  })
  return { yaml: head + yaml.toString({ lineWidth: 120, flowCollectionPadding: false }), keys }
}

function tagsOf(operation: unknown): string[] {
  const { tags } = toRecord(operation)
  return Array.isArray(tags) ? tags : []
}

function componentsOf(api: unknown, from: unknown): Record<string, Record<string, unknown>> {
  const components: Record<string, Record<string, unknown>> = {}
  const open = [from]
  for (let value = open.pop(); value !== undefined; value = open.pop())
    for (const [, kind = '', key = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      const name = decodeStep(key)
      if (components[kind]?.[name] !== undefined) continue
      const component = toRecord(toRecord(toRecord(api)['components'])[kind])[name]
      components[kind] = { ...components[kind], [name]: component }
      if (component !== undefined) open.push(component)
    }
  return components
}

/** Writes OpenAPI 3.0 as 3.1, and operations with the keys of this repository. Leaves out the extensions of others. */
function convert<T>(value: T): T
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (!isRecord(value)) return value
  const { operationId, nullable, ...rest } = Object.fromEntries(
    Object.entries(value).filter(([key]) => !key.startsWith('x-')),
  )
  const name = kebabCase(
    String(rest['summary'] ?? operationId)
      .replaceAll(/[^A-Za-z0-9]+/g, ' ')
      .trim(),
  )
  const entryOf = ([key, each]: [string, unknown]): [string, unknown][] => {
    if (key === 'responses' && rest['tags'])
      return [
        ['x-name', name],
        [key, convert(each)],
      ]
    if (nullable === true && key === 'type') return [[key, [each, 'null']]]
    // A choice of one is how OpenAPI 3.0 describes a reference.
    if (key === 'oneOf' && Array.isArray(each) && each.length === 1 && nullable !== true)
      return Object.entries(convert(toRecord(each[0])))
    if (nullable === true && key === 'oneOf' && Array.isArray(each))
      return [[key, [...each, { type: 'null' }].map(convert)]]
    return [[key, convert(each)]]
  }
  return Object.fromEntries(Object.entries(rest).flatMap(entryOf))
}
