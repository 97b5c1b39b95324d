import { parseDuration } from '../duration.ts'
import type {
  Area,
  Contract,
  Ground,
  InterfaceName,
  Listed,
  Method,
  NotShown,
  OpenApi,
  OpenApiOperation,
  Operation,
  OperationShape,
  PathItem,
  RateLimit,
  Requirement,
  SecurityScheme,
} from './model.ts'

const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/**
 * Reads one interface's two layers into the model.
 *
 * @param name which interface
 * @param document the OpenAPI document without the supplement
 * @param full the same with the supplement's overlay applied
 * @returns the contract; a statement that also stands in `document` has that ground, every other is supplement
 * @throws RangeError when a rate limit or retention is no ISO 8601 duration, or a `$ref` leads nowhere
 */
export function parseContract(name: InterfaceName, document: OpenApi, full: OpenApi): Contract {
  const documentedIds = new Set(listed(document, 'x-requirements').map(({ id }) => id))
  const requirements = listed(full, 'x-requirements').map(
    (entry): Requirement => ({
      ...entry,
      ground: documentedIds.has(entry.id) ? 'document' : 'supplement',
      interface: name,
    }),
  )
  const notShown = listed(full, 'x-not-shown').map((entry): NotShown => ({ ...entry, interface: name }))
  return {
    interface: name,
    title: full.info.title,
    publicUrl: full.servers[0]?.url ?? '',
    areas: full.tags.map((tag): Area => ({ name: tag.name, notShown: tag['x-not-shown'] !== undefined })),
    operations: operationsOf(name, document, full),
    requirements,
    notShown,
    schemes: schemesOf(full),
    openapi: { document, full },
  }
}

/** All entries under a key: at the root, on tags, on paths and on operations, in the order of the file. */
function listed(api: OpenApi, key: 'x-requirements' | 'x-not-shown'): Listed[] {
  const tags = key === 'x-not-shown' ? api.tags.flatMap((tag) => tag['x-not-shown'] ?? []) : []
  const paths = Object.values(api.paths).flatMap((item) => [
    ...(item[key] ?? []),
    ...methods.flatMap((method) => item[method]?.[key] ?? []),
  ])
  return [...(api[key] ?? []), ...tags, ...paths]
}

function operationsOf(name: InterfaceName, document: OpenApi, full: OpenApi): Operation[] {
  return Object.entries(full.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const documentedItem = document.paths[path]
      const documented = documentedItem?.[method]
      return [toOperation(name, document, full, path, method, item, operation, documentedItem, documented)]
    }),
  )
}

function toOperation(
  name: InterfaceName,
  document: OpenApi,
  full: OpenApi,
  path: string,
  method: Method,
  item: PathItem,
  operation: OpenApiOperation,
  documentedItem: PathItem | undefined,
  documented: OpenApiOperation | undefined,
): Operation {
  const documentedShape =
    documented && documentedItem && shapeOf(document, documentedItem, documented, () => 'document')
  const inDocument = new Set(documentedShape?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`))
  const rateLimit = operation['x-rate-limit'] ?? full['x-rate-limit']
  const retention = operation['x-retention'] ?? full['x-retention']
  return {
    interface: name,
    name: operation['x-name'],
    method,
    path,
    area: operation.tags[0] ?? '',
    summary: operation.summary ?? '',
    effect: operation['x-effect'],
    ground: documented ? 'document' : 'supplement',
    schemes: (operation.security ?? full.security ?? []).flatMap((requirement) => Object.keys(requirement)),
    scopes: operation['x-scopes'] ?? [],
    ...shapeOf(full, item, operation, (key) => (inDocument.has(key) ? 'document' : 'supplement')),
    ...(rateLimit && { rateLimit: toRateLimit(rateLimit) }),
    ...(retention && { retentionMs: parseDuration(retention) }),
    ...(documentedShape && { documented: documentedShape }),
  }
}

function shapeOf(
  api: OpenApi,
  item: PathItem,
  operation: OpenApiOperation,
  groundOf: (key: string) => Ground,
): OperationShape {
  const inPlace = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((stated) => resolve(api, stated))
  // A parameter of the operation stands for one of the path with the same name and place.
  const byKey = new Map(inPlace.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
  const parameters = [...byKey].map(([key, parameter]) => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    description: parameter.description ?? '',
    schema: resolve(api, parameter.schema ?? {}),
    ground: groundOf(key),
  }))
  const responses = Object.entries(operation.responses).map(([status, stated]) => {
    const response = resolve(api, stated)
    return {
      status,
      description: response.description,
      content: schemasOf(api, response.content ?? {}),
      ...(response['x-error-code'] && { errorCode: response['x-error-code'] }),
      ...(response['x-line'] && {
        line: response['x-line'].map((field) => ({ ...field, extended: field.extended ?? false })),
      }),
    }
  })
  const body = operation.requestBody && resolve(api, operation.requestBody)
  return {
    parameters,
    responses,
    ...(body && { requestBody: { required: body.required ?? false, content: schemasOf(api, body.content) } }),
  }
}

/** What stands behind a `$ref`, however long the way; the node itself where it is none. References below it stay. */
function resolve<Node extends object>(api: OpenApi, node: Node): Node {
  let found: unknown = node
  for (let steps = 0; steps < longestWay && isReference(found); steps++) {
    found = found.$ref
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((at: unknown, step) => (at as Record<string, unknown> | undefined)?.[step], api)
  }
  if (typeof found !== 'object' || found === null || isReference(found))
    throw new RangeError(`The contract refers to nothing: ${JSON.stringify(node)}`)
  return found as Node
}

/** A longer way leads in a circle. */
const longestWay = 16

function isReference(node: unknown): node is { readonly $ref: string } {
  return typeof (node as { $ref?: unknown } | null)?.$ref === 'string'
}

function schemasOf(
  api: OpenApi,
  content: Record<string, { schema?: Record<string, unknown> }>,
): Record<string, Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, resolve(api, schema ?? {})]))
}

function toRateLimit(stated: { requests: number; window: string; per: string }): RateLimit {
  return { requests: stated.requests, windowMs: parseDuration(stated.window), per: stated.per }
}

function schemesOf(api: OpenApi): SecurityScheme[] {
  return Object.entries(api.components.securitySchemes).map(([name, scheme]) =>
    scheme.type === 'http'
      ? { name, kind: 'bearer', header: 'Authorization' }
      : { name, kind: 'key', header: scheme.name ?? name },
  )
}
