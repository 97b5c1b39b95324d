import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { specsFolder } from '../bundle.ts'
import { type Json, listOf } from '../import/json.ts'
import { componentsOf, operationKey, operationsOf, titleOf } from '../import/operations.ts'
import { createScratch, redocly } from '../redocly.ts'
import { alignChoices, normalize } from './normalize.ts'

/** The parts of a version, from no change to a breaking change. */
export const bumps = ['none', 'patch', 'minor', 'major'] as const
export type Bump = (typeof bumps)[number]

/** Returns the largest of several bumps; `none` if the list is empty. */
export function maxBump(all: readonly Bump[]): Bump {
  return defined(bumps[Math.max(0, ...all.map((bump) => bumps.indexOf(bump)))])
}

/** One change, and the part of the version that it requires. */
export interface Change {
  readonly impact: Bump
  /** A JSON pointer or an operation. */
  readonly path: string
  readonly kind: string
  readonly property?: string
}

/**
 * Rates the changes between two versions of a contract by their effect on callers.
 *
 * @param before the contract that callers know
 * @param after the current contract
 * @throws Error with Redocly's findings if it cannot compare them
 */
export async function compareContracts(before: Json, after: Json): Promise<Change[]> {
  await using scratch = await createScratch()
  const [old, current] = [join(scratch.path, 'before.json'), join(scratch.path, 'after.json')]
  const [was, is] = [normalize(before), normalize(after)]
  await writeFile(old, JSON.stringify(alignChoices(was, is)))
  await writeFile(current, JSON.stringify(alignChoices(is, was)))
  const options = ['--config', 'tools/diff/redocly.yaml', '--fail-on', 'none', '--format', 'json']
  const { stdout, stderr } = await redocly(['diff', old, current, ...options], specsFolder)
  if (!stdout.startsWith('{')) throw new Error(stderr)
  const { changes }: { changes: readonly RatedChange[] } = JSON.parse(stdout)
  const all = [...changes.map(withImpact), ...compareAccess(before, after)]
  // Redocly compares normalized contracts, so it does not find changed texts inside a choice.
  if (all.length === 0 && !isDeepStrictEqual(normalize(before, true), normalize(after, true)))
    return [{ impact: 'patch', path: '#', kind: 'texts or examples' }]
  return all
}

interface RatedChange extends Change {
  /** Type of the changed node. */
  readonly typeName: string
}

/** Texts of an operation or a parameter that only readers notice. */
const texts = new Set(['title', 'summary', 'description', 'operationId', 'tags', 'example', 'examples', 'default'])

/**
 * Raises the impact of changes that Redocly rates as patch. Callers that send a removed field no longer compile, and the meaning of
 * a field changes with each of its constraints, also if it allows more.
 */
function withImpact({ path, kind, impact, property, typeName }: RatedChange): Change {
  const isRemovedField =
    kind === 'removed' && /^Schema(Properties)?$/.test(typeName) && /\/properties(\/[^/]*)?$/.test(path)
  const isConstraint =
    kind === 'modified' && property !== undefined && !texts.has(property) && !property.startsWith('x-')
  const raised: Bump = isRemovedField ? 'major' : isConstraint ? 'minor' : impact
  return { impact: impact === 'patch' ? raised : impact, path, kind, ...(property !== undefined && { property }) }
}

/** Compares server, schemes, security and scopes, because Redocly's comparison does not rate them. */
function compareAccess(before: Json, after: Json): Change[] {
  const [oldServer, newServer] = [before, after].map((api) => toRecord(listOf(api['servers'])[0])['url'])
  const is = componentsOf(after, 'securitySchemes')
  const place = (stated: unknown) => {
    const { type, in: where, name, scheme } = toRecord(stated)
    return [type, where, name, scheme].join(' ').trim()
  }
  const moved = Object.entries(componentsOf(before, 'securitySchemes')).filter(
    ([name, scheme]) => Object.hasOwn(is, name) && place(is[name]) !== place(scheme),
  )
  const known = new Map(operationsOf(before).map((one) => [operationKey(one), one.operation]))
  return [
    // Clients send requests to the first server.
    ...(oldServer === newServer ? [] : [change('major', 'server', `${oldServer} became ${newServer}`)]),
    ...moved.map(([name, scheme]) => change('major', `scheme ${name}`, `${place(scheme)} became ${place(is[name])}`)),
    ...operationsOf(after).flatMap((one) => {
      const old = known.get(operationKey(one))
      if (!old) return []
      return [
        ...choice(titleOf(one), 'credential', alternativesOf(before, old), alternativesOf(after, one.operation)),
        ...choice(titleOf(one), 'scope', scopesOf(old), scopesOf(one.operation)),
      ]
    }),
  ]
}

function change(impact: Bump, path: string, kind: string): Change {
  return { impact, path, kind }
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
