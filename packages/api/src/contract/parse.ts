import { followReference } from '@cdn/kit/reference'
import { unitMs } from '@cdn/kit/time'
import {
  type Area,
  type Contract,
  type InterfaceName,
  type Method,
  methods,
  type OpenApi,
  type OpenApiOperation,
  type Operation,
  type OperationShape,
  type PathItem,
  type RateLimit,
  type Requirement,
  type Resource,
  type Schema,
  type SecurityRequirements,
  type SecurityScheme,
  type Source,
  type StatedEntry,
  type StatedRateLimit,
  type Unspecified,
} from './model.ts'
import { actionOf, resourcesOf } from './resources.ts'
import { plainSchema, type Resolve } from './sample.ts'

/**
 * Parses the two layers of an interface into the model.
 *
 * @param name name of the interface
 * @param spec the OpenAPI document without the supplement
 * @param full the same document with the supplement's overlay applied
 * @returns the contract. Statements that are also in `spec` have the source `spec`, all others `supplement`
 * @throws RangeError if a rate limit or retention is not a duration such as `PT10S`, or a `$ref` has no target
 */
export function parseContract(name: InterfaceName, spec: OpenApi, full: OpenApi): Contract {
  const idsOfSpec = new Set(listed(spec, 'x-requirements').map(({ id }) => id))
  const requirements = listed(full, 'x-requirements').map((entry): Requirement => {
    return { ...entry, source: idsOfSpec.has(entry.id) ? 'spec' : 'supplement', interface: name }
  })
  const resources = resourcesOf(name, spec, full)
  const unspecified = listed(full, 'x-unspecified').map((entry): Unspecified => ({ ...entry, interface: name }))
  return {
    interface: name,
    title: full.info.title,
    publicUrl: full.servers[0].url,
    areas: full.tags.map((tag): Area => ({ name: tag.name, unspecified: tag['x-unspecified'] !== undefined })),
    operations: operationsOf(name, spec, full, resources),
    resources,
    requirements,
    unspecified,
    schemes: schemesOf(full),
    openapi: { spec, full },
  }
}

/** Returns all entries under a key: those of the root, of the tags (`x-unspecified` only), and of each path with its operations. */
function listed(api: OpenApi, key: 'x-requirements' | 'x-unspecified'): StatedEntry[] {
  const tags = key === 'x-unspecified' ? api.tags.flatMap((tag) => tag['x-unspecified'] ?? []) : []
  const paths = Object.values(api.paths).flatMap((item) => [
    ...(item[key] ?? []),
    ...methods.flatMap((method) => item[method]?.[key] ?? []),
  ])
  return [...(api[key] ?? []), ...tags, ...paths]
}

function operationsOf(name: InterfaceName, spec: OpenApi, full: OpenApi, resources: readonly Resource[]): Operation[] {
  const operationAt = (path: string, item: PathItem, method: Method): Operation | undefined => {
    const operation = item[method]
    if (!operation) return undefined
    const specItem = spec.paths[path]
    const specOperation = specItem?.[method]
    const specShape = specOperation && shapeOf(spec, specItem, specOperation, () => 'spec')
    const inSpec = new Set(specShape?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`))
    const rateLimit = operation['x-rate-limit'] ?? full['x-rate-limit']
    const retention = operation['x-retention'] ?? full['x-retention']
    return {
      interface: name,
      method,
      path,
      name: operation['x-name'],
      area: operation.tags[0],
      summary: operation.summary ?? '',
      effect: operation['x-effect'],
      source: specShape ? 'spec' : 'supplement',
      schemes: schemesOfOperation(operation.security ?? full.security ?? []),
      scopes: operation['x-scopes'] ?? [],
      ...shapeOf(full, item, operation, (key) => (inSpec.has(key) ? 'spec' : 'supplement')),
      ...(rateLimit && { rateLimit: toRateLimit(rateLimit) }),
      ...(retention && { retentionMs: parseDuration(retention) }),
      ...(specShape && { spec: specShape }),
      ...actionOf(resources, { api: full, path, method, operation, spec: specOperation }),
    }
  }
  return Object.entries(full.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => operationAt(path, item, method) ?? []),
  )
}

function shapeOf(
  api: OpenApi,
  item: PathItem,
  operation: OpenApiOperation,
  sourceOf: (key: string) => Source,
): OperationShape {
  const inPlace = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((stated) =>
    followReference(api, stated),
  )
  // A parameter of the operation replaces one of the path with the same name and location.
  const byKey = new Map(inPlace.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
  const parameters = [...byKey].map(([key, parameter]) => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.required ?? false,
    description: parameter.description ?? '',
    schema: plainParameter(parameter.schema ?? {}, (schema) => followReference(api, schema)),
    source: sourceOf(key),
    ...(parameter['x-day'] !== undefined && { day: parameter['x-day'] }),
  }))
  const responses = Object.entries(operation.responses).map(([status, stated]) => {
    const response = followReference(api, stated)
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
  const body = operation.requestBody && followReference(api, operation.requestBody)
  return {
    parameters,
    responses,
    ...(body && { requestBody: { required: body.required ?? false, content: schemasOf(api, body.content) } }),
  }
}

/**
 * Merges the schema of a parameter with its references and with the only alternative of a choice. Does the same for the schema of the
 * items of a list.
 */
function plainParameter(schema: Schema, resolve: Resolve): Schema {
  const plain = plainSchema(schema, resolve)
  return plain.items ? { ...plain, items: plainSchema(plain.items, resolve) } : plain
}

function schemasOf(api: OpenApi, content: Record<string, { schema?: Schema }>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => [type, followReference(api, schema ?? {})]),
  )
}

function toRateLimit({ requests, window, per }: StatedRateLimit): RateLimit {
  return { requests, windowMs: parseDuration(window), per }
}

/** Returns the names of the accepted schemes. An empty alternative means that no credential is required. */
function schemesOfOperation(alternatives: SecurityRequirements): string[] {
  const names = alternatives.map((alternative) => Object.keys(alternative))
  return names.some((all) => all.length === 0) ? [] : [...new Set(names.flat())]
}

function schemesOf(api: OpenApi): SecurityScheme[] {
  return Object.entries(api.components.securitySchemes ?? {}).map(([name, scheme]) => ({
    name,
    variable: scheme['x-variable'],
    ...(scheme.type === 'http'
      ? { kind: 'bearer', header: 'Authorization' }
      : { kind: 'key', header: scheme.name ?? name }),
  }))
}

const units = { D: unitMs.d, H: unitMs.h, M: unitMs.m, S: unitMs.s } as const

/**
 * Parses an ISO 8601 duration of days, hours, minutes and seconds, as in `x-rate-limit` and `x-retention`.
 *
 * @param text for example `PT10S` or `P3D`
 * @returns milliseconds, more than 0
 * @throws RangeError if the text is not such a duration, or is zero
 */
function parseDuration(text: string): number {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text)
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match ?? []
  const ms = Number(days) * units.D + Number(hours) * units.H + Number(minutes) * units.M + Number(seconds) * units.S
  if (!match || ms === 0)
    throw new RangeError(`Invalid duration ${JSON.stringify(text)}: expected one such as PT10S or P3D`)
  return ms
}
