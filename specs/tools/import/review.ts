import { basename, dirname } from 'node:path'
import { isRecord, toRecord } from '@cdn/kit/record'
import type { Action, Overlay } from '../bundle.ts'
import { type Json, listOf, readYaml, yamlDocument } from './json.ts'
import { type ForeignOperation, operationsOf, titleOf } from './operations.ts'

const comment = 'Decisions of a reviewer, written by `pnpm review-effects`. Another import keeps them.'

/** Returns the target of an overlay's action that changes an operation. */
export function targetOf({ path, method }: Pick<ForeignOperation, 'path' | 'method'>): string {
  return `${pathTarget(path)}.${method}`
}

function pathTarget(path: string): string {
  return `$.paths[${jsonPathQuote(path)}]`
}

/** Quotes a text for JSONPath (RFC 9535) with apostrophes. */
export function jsonPathQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/**
 * Reads the decisions of a reviewer.
 *
 * @param path the file
 * @returns the actions of the overlay; empty if the file is missing
 */
export async function readDecisions(path: string): Promise<Action[]> {
  const actions: readonly unknown[] = listOf((await readYaml(path))?.['actions']).filter(isRecord)
  return actions as Action[] // `decisionsToYaml` has written them
}

/** Returns the text of an overlay with decisions. Without decisions it returns undefined, because no file is needed. */
export function decisionsToYaml(name: string, actions: readonly Action[]): string | undefined {
  if (actions.length === 0) return undefined
  const overlay: Overlay = { overlay: '1.0.0', info: { title: `Review of ${name}`, version: '1.0.0' }, actions }
  return yamlDocument(overlay, comment)
}

/**
 * Applies decisions to another version of a contract.
 *
 * @param path the file with the decisions
 * @param contract the new version
 * @returns the new text of the file (null if unchanged), and a note about each decision whose operation no longer exists
 */
export async function keepDecisions(path: string, contract: Json) {
  const actions = await readDecisions(path)
  const targets = new Set(operationsOf(contract).flatMap((one) => [targetOf(one), pathTarget(one.path)]))
  const isKept = ({ target }: Action) => targets.has(target.replace(/\['x-(assumed|change|resource)'\].*$/, ''))
  const lost = actions.filter((action) => !isKept(action) && !action.remove)
  const notes = lost.map(({ target }) => `The decision about ${target} was removed with its operation.`)
  const name = basename(dirname(path))
  const count = actions.filter((action) => isKept(action) && !action.remove).length
  if (count > 0) notes.push(`${count} decisions of an earlier review still apply.`)
  return { text: lost.length > 0 ? decisionsToYaml(name, actions.filter(isKept)) : null, notes }
}

/** The effects of an operation on the platform. */
export const effects = ['read', 'write', 'destructive'] as const

/** The statements that an import assumes. */
const statements = ['x-effect', 'x-resource', 'x-change'] as const

/**
 * Returns the actions that record a decision. They set or remove the statement, and remove it from `x-assumed`. Statements that a
 * later import assumes stay unreviewed.
 *
 * @param value the decision; `null` rejects a resource or a change
 */
export function decisionOf({ target, statement }: Pick<Assumed, 'target' | 'statement'>, value: unknown): Action[] {
  const action = (at: string, change: Partial<Action>): Action => ({
    target: at,
    'x-source': 'decision of a reviewer [C]',
    ...change,
  })
  return [
    action(`${target}['x-assumed'][?(@ == '${statement}')]`, { remove: true }),
    // An update merges objects, and a later import may propose another one. So the proposal goes first.
    ...(statement === 'x-effect' ? [] : [action(`${target}['${statement}']`, { remove: true })]),
    ...(value === null ? [] : [action(target, { update: { [statement]: value } })]),
  ]
}

/** An unreviewed statement about an operation or a path. */
export interface Assumed {
  readonly title: string
  readonly target: string
  /** Name of the operation, or of the resource. */
  readonly name: string
  readonly summary: string
  readonly statement: (typeof statements)[number]
  readonly value: unknown
}

/** Returns sentences about the statements that an import assumed, if there are any. */
export function assumedNotes(contract: Json, name: string): string[] {
  const all = assumedIn(contract)
  const effects = all.filter(({ statement }) => statement === 'x-effect')
  const counts = [...Map.groupBy(effects, ({ value }) => value)].map(([effect, { length }]) => `${length} ${effect}`)
  const proposals = all.length - effects.length
  const command = `pnpm review-effects ${name}`
  const notes: string[] = []
  if (counts.length > 0)
    notes.push(`Effects are assumed (${counts.join(', ')}) and permit nothing until they are reviewed: ${command}`)
  if (proposals > 0)
    notes.push(`${proposals} resources and changes are proposed and have no effect until they are accepted: ${command}`)
  return notes
}

/** Returns the unreviewed statements of a contract: for each operation its effect and its change, then the resources. */
export function assumedIn(contract: Json): Assumed[] {
  const operations = operationsOf(contract).map((one) => {
    const { 'x-name': name, summary } = one.operation
    return { node: one.operation, title: titleOf(one), target: targetOf(one), name, summary }
  })
  const paths = Object.entries(toRecord(contract['paths'])).map(([path, item]) => {
    const { name } = toRecord(toRecord(item)['x-resource'])
    const summary = 'the resource that this path leads to'
    return { node: toRecord(item), title: path, target: pathTarget(path), name, summary }
  })
  return [...operations, ...paths].flatMap(({ node, name, summary, ...rest }) =>
    statements
      .filter((statement) => listOf(node['x-assumed']).includes(statement) && node[statement] !== undefined)
      .map((statement) => ({
        ...rest,
        name: String(name),
        summary: String(summary),
        statement,
        value: node[statement],
      })),
  )
}
