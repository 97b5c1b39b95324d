/** Finds changes of server and credentials, because Redocly's comparison does not rate them. */
import { isRecord, toRecord } from '@cdn/kit/record'
import { type Json, listOf } from '../import/json.ts'
import { operationKey, operationsOf, titleOf } from '../import/operations.ts'
import type { Bump, Change } from './change.ts'

/**
 * Compares server, schemes, security and scopes.
 *
 * @param before the contract that callers know
 * @param after the current contract
 */
export function compareAccess(before: Json, after: Json): Change[] {
  const known = new Map(operationsOf(before).map((one) => [operationKey(one), one]))
  const operations = operationsOf(after).flatMap((one) => {
    const old = known.get(operationKey(one))
    if (!old) return []
    const [was, is] = [alternativesOf(before, old.operation), alternativesOf(after, one.operation)]
    return [
      ...choice(titleOf(one), 'credential', was, is),
      ...choice(titleOf(one), 'scope', scopesOf(old.operation), scopesOf(one.operation)),
    ]
  })
  return [...servers(before, after), ...schemes(before, after), ...operations]
}

function change(impact: Bump, path: string, kind: string): Change {
  return { impact, path, kind }
}

/** Compares the first server of both contracts, because clients send requests to the first server. */
function servers(before: Json, after: Json): Change[] {
  const [was, is] = [before, after].map((api) => toRecord(listOf(api['servers'])[0])['url'])
  return was === is ? [] : [change('major', 'server', `${was} became ${is}`)]
}

/** Finds schemes whose credential is now sent in another way. */
function schemes(before: Json, after: Json): Change[] {
  const [was, is] = [schemesOf(before), schemesOf(after)]
  const place = (scheme: unknown) =>
    ['type', 'in', 'name', 'scheme']
      .map((key) => toRecord(scheme)[key])
      .join(' ')
      .trim()
  return Object.entries(was)
    .filter(([name, scheme]) => Object.hasOwn(is, name) && place(is[name]) !== place(scheme))
    .map(([name, scheme]) => change('major', `scheme ${name}`, `${place(scheme)} became ${place(is[name])}`))
}

function schemesOf(api: Json): Json {
  return toRecord(toRecord(api['components'])['securitySchemes'])
}

function scopesOf(operation: Json): string[] {
  return listOf(operation['x-scopes']).map(String)
}

/**
 * Returns the alternative credentials of an operation, one text each. An empty list means that no credentials are needed.
 */
function alternativesOf(api: Json, operation: Json): string[] {
  const alternatives = listOf(operation['security'] ?? api['security']).filter(isRecord)
  const texts = alternatives.map((one) => Object.keys(one).sort().join(' and '))
  return texts.includes('') ? [] : [...new Set(texts)]
}

/** Compares lists of alternatives. An empty list means that nothing is required. */
function choice(path: string, what: string, was: readonly string[], is: readonly string[]): Change[] {
  if (was.length === 0 && is.length > 0) return [change('major', path, `${what} needed: ${is.join(' or ')}`)]
  if (was.length > 0 && is.length === 0) return [change('minor', path, `${what} no longer needed`)]
  return [
    ...was.filter((one) => !is.includes(one)).map((one) => change('major', path, `${what} removed: ${one}`)),
    ...is.filter((one) => !was.includes(one)).map((one) => change('minor', path, `${what} added: ${one}`)),
  ]
}
