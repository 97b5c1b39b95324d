import { contracts, type Effect, type Operation } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'

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

/** The sources of the statements about an operation: sections of the specification, the supplement, and what is unspecified. */
export function sourcesOf(operation: Operation): readonly string[] {
  const { requirements, unspecified } = contracts[operation.interface]
  const isOwn = ({ id }: { readonly id: string }) => id.startsWith(`${operation.interface}.${operation.name}.`)
  const stated = requirements.filter((entry) => isOwn(entry) && entry.source === 'spec')
  const sections = [...new Set(stated.map(({ section }) => `§${section}`))].sort()
  const supplement = operation.parameters.filter(({ source }) => source === 'supplement')
  const open = unspecified.filter(isOwn).map(({ section, text }) => `  §${section}  ${text}`)
  return [
    operation.source === 'spec'
      ? `Source: specification, ${sections.join(', ')}.`
      : 'Source: supplement (public facts; the specification does not show this operation).',
    ...(operation.source === 'spec' && supplement.length > 0
      ? [`From the supplement: ${supplement.map(({ name }) => `--${kebabCase(name)}`).join(', ')}.`]
      : []),
    ...(open.length > 0 ? [['Unspecified:', ...open].join('\n')] : []),
  ]
}
