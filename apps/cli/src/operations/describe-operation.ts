import type { Effect, Operation } from '@cdn/api/contract'

const effects: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  write: 'Changes the resource.',
  destructive: 'Destructive: asks for confirmation, unless --yes is given.',
}

/** Paragraphs of an operation's help: request, effect, credentials, limits, responses. */
export function describeOperation(operation: Operation): readonly string[] {
  const { method, path, schemes, scopes, rateLimit, responses } = operation
  const effect = operation.assumed
    ? 'Its effect has not been reviewed: asks for confirmation, unless --yes is given.'
    : effects[operation.effect]
  const credentials = schemes.length > 0 ? `Credentials: ${schemes.join(' or ')}.` : 'No credentials needed.'
  const anyOf = scopes.length > 0 ? ` Scopes (any of): ${scopes.join(', ')}.` : ''
  const list = responses.map(({ status, description, errorCode }) => {
    return `  ${status.padEnd(7)} ${description}${errorCode ? ` (${errorCode})` : ''}`
  })
  return [
    `Request: ${method.toUpperCase()} ${path}. ${effect}`,
    `${credentials}${anyOf}`,
    ...(rateLimit
      ? [`Rate limit: ${rateLimit.requests} requests per ${rateLimit.windowMs / 1000} s and ${rateLimit.per}.`]
      : []),
    ['Responses:', ...list].join('\n'),
  ]
}
