import type { Effect, Operation } from '@cdn/api/contract'
import { standingOf } from './find-sections.ts'

const effects: Readonly<Record<Effect, string>> = {
  read: 'It changes nothing.',
  write: 'It changes the resource.',
  destructive: 'It destroys something, so it asks first; --yes answers.',
}

/** The paragraphs of an operation's help: where it stands, what it does, who may, what comes back, what nobody says. */
export function describeOperation(operation: Operation): readonly string[] {
  const { section, others, notShown } = standingOf(operation)
  const place = section
    ? `The document, §${section}${others.length > 0 ? `; also ${others.map((other) => `§${other}`).join(', ')}` : ''}.`
    : 'Not in the document: known from public facts (supplement).'
  const schemes =
    operation.schemes.length > 0 ? `Credential: ${operation.schemes.join(' or ')}.` : 'It needs no credential.'
  const scopes = operation.scopes.length > 0 ? ` Scope, any of: ${operation.scopes.join(', ')}.` : ''
  const limit = operation.rateLimit
  const answers = operation.responses.map(
    ({ status, description, errorCode }) => `  ${status.padEnd(7)} ${description}${errorCode ? ` (${errorCode})` : ''}`,
  )
  const open = notShown.map((point) => `  §${point.section}  ${point.text}`)
  return [
    `${operation.method.toUpperCase()} ${operation.path} of the ${operation.interface} interface. ${place}`,
    `${effects[operation.effect]} ${schemes}${scopes}`,
    ...(limit
      ? [`Rate limit: ${limit.requests} requests in ${limit.windowMs / 1000} s for each ${limit.per} (§8).`]
      : []),
    ['Answers:', ...answers].join('\n'),
    ...(open.length > 0 ? [['Not shown by the document:', ...open].join('\n')] : []),
  ]
}
