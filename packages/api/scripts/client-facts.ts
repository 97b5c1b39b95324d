import { followReference } from '@cdn/kit/reference'
import { type Method, methods, type OpenApi, type OpenApiOperation } from '../src/contract/model.ts'
import type { InterfaceFacts, OperationFacts } from '../src/interface-facts.ts'

const json = 'application/json'
const jsonType = /[/+]json$/
/** The media types of a response, JSON first, because a server may take the first one that it knows. */
const typesOf = ({ content = {} }: { readonly content?: object }) =>
  Object.keys(content).sort((a, b) => Number(jsonType.test(b)) - Number(jsonType.test(a)))

/**
 * Collects what the client of an interface needs to know at run time.
 *
 * @param contract the full contract of the interface, bundled
 */
export function clientFacts(contract: OpenApi): InterfaceFacts {
  const schemes = Object.values(contract.components.securitySchemes ?? {})
  const keyHeader = schemes.find((scheme) => scheme.type === 'apiKey' && scheme.in === 'header')?.name
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      const facts = operation ? operationFacts(contract, method, operation) : {}
      return Object.keys(facts).length > 0 ? [[`${method.toUpperCase()} ${path}`, facts] as const] : []
    }),
  )
  return {
    baseUrl: contract.servers[0].url,
    ...(keyHeader !== undefined && keyHeader !== 'AccessKey' && { keyHeader }),
    operations: Object.fromEntries(operations),
  }
}

/**
 * Returns the facts in which an operation differs from a usual one. A usual operation uses JSON in both directions, needs a
 * credential, and is repeatable if its method is safe.
 */
function operationFacts(contract: OpenApi, method: Method, operation: OpenApiOperation): OperationFacts {
  const responses = Object.entries(operation.responses ?? {}).map(([status, stated]) => ({
    isSuccess: status.startsWith('2'),
    ...followReference(contract, stated),
  }))
  const successes = responses.filter(({ isSuccess }) => isSuccess)
  const types = [...new Set([...successes, ...responses].flatMap(typesOf))]
  // A success of another type may have a type that the contract does not name.
  const bodyTypes = successes.flatMap(typesOf)
  const isOther = bodyTypes.length > 0 && !bodyTypes.some((type) => jsonType.test(type))
  const accept = [...types, ...(isOther ? ['*/*;q=0.5'] : [])].join(', ')
  const bodies = Object.keys(
    operation.requestBody ? (followReference(contract, operation.requestBody).content ?? {}) : {},
  )
  const [contentType] = bodies
  const isSafe = ['get', 'head', 'options'].includes(method)
  const isRepeatable = operation['x-effect'] === 'read'
  const security = operation.security ?? contract.security ?? []
  return {
    ...(types.length > 0 && accept !== json && { accept }),
    ...(contentType !== undefined && !bodies.includes(json) && { contentType }),
    ...(isRepeatable !== isSafe && { isRepeatable }),
    ...(security.every((scheme) => Object.keys(scheme).length === 0) && { isOpen: true }),
    ...(method === 'get' && successes.some(({ content }) => content === undefined) && { mayBeEmpty: true }),
  }
}
