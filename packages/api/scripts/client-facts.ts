import type { Contract, Operation, Response } from '../src/contract/model.ts'
import type { InterfaceFacts, OperationFacts } from '../src/interface-facts.ts'

const json = 'application/json'
const jsonType = /[/+]json$/
/** The media types of a response, JSON first, because a server may take the first one that it knows. */
const typesOf = ({ content }: Response) =>
  Object.keys(content).sort((a, b) => Number(jsonType.test(b)) - Number(jsonType.test(a)))

/** Collects the facts that the client of an interface needs at run time. */
export function clientFacts({ publicUrl, schemes, operations }: Contract): InterfaceFacts {
  const keyHeader = schemes.find(({ kind }) => kind === 'key')?.header
  const facts = operations.map((each) => [`${each.method.toUpperCase()} ${each.path}`, operationFacts(each)] as const)
  return {
    baseUrl: publicUrl,
    ...(keyHeader !== undefined && keyHeader !== 'AccessKey' && { keyHeader }),
    operations: Object.fromEntries(facts.filter(([, each]) => Object.keys(each).length > 0)),
  }
}

/**
 * Returns the facts in which an operation differs from a usual one. A usual operation uses JSON in both directions, needs a
 * credential, and is repeatable if its method is safe.
 */
function operationFacts({ method, effect, schemes, responses, requestBody }: Operation): OperationFacts {
  const successes = responses.filter(({ status }) => status.startsWith('2'))
  const types = [...new Set([...successes, ...responses].flatMap(typesOf))]
  // If successes have bodies, but none is JSON, the server may send a media type that the contract does not name.
  const bodyTypes = successes.flatMap(typesOf)
  const isOther = bodyTypes.length > 0 && !bodyTypes.some((type) => jsonType.test(type))
  const accept = [...types, ...(isOther ? ['*/*;q=0.5'] : [])].join(', ')
  const bodies = Object.keys(requestBody?.content ?? {})
  const [contentType] = bodies
  // An error for which the contract states a code has no description here: a response without that code may come from a proxy.
  const errors = responses.filter((each) => !successes.includes(each) && each.errorCode === undefined)
  const isSafe = ['get', 'head', 'options'].includes(method)
  const isRepeatable = effect === 'read'
  return {
    ...(types.length > 0 && accept !== json && { accept }),
    ...(contentType !== undefined && !bodies.includes(json) && { contentType }),
    ...(isRepeatable !== isSafe && { isRepeatable }),
    ...(schemes.length === 0 && { isOpen: true }),
    ...(errors.length > 0 && { errors: Object.fromEntries(errors.map((each) => [each.status, each.description])) }),
    ...(method === 'get' && successes.some(({ content }) => Object.keys(content).length === 0) && { mayBeEmpty: true }),
  }
}
