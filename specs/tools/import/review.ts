import { basename, dirname } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import type { Action, Overlay } from '../bundle.ts'
import { type Json, listOf } from './json.ts'
import { type ForeignOperation, operationsOf, titleOf } from './operations.ts'
import { readYaml, yamlDocument } from './yaml.ts'

const comment = 'Decisions of a reviewer, written by `pnpm review-effects`. Another import keeps them.'

/** Returns the target of an overlay's action that changes an operation. */
export function targetOf({ path, method }: Pick<ForeignOperation, 'path' | 'method'>): string {
  return `$.paths[${jsonPathQuote(path)}].${method}`
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
  const targets = new Set(operationsOf(contract).map(targetOf))
  const isKept = ({ target }: Action) => targets.has(target.replace(/\['x-assumed'\]$/, ''))
  const lost = actions.filter((action) => !isKept(action) && !action.remove)
  const notes = lost.map(({ target }) => `The decision about ${target} was removed with its operation.`)
  const name = basename(dirname(path))
  const count = actions.filter((action) => isKept(action) && !action.remove).length
  if (count > 0) notes.push(`${count} decisions of an earlier review still apply.`)
  return { text: lost.length > 0 ? decisionsToYaml(name, actions.filter(isKept)) : null, notes }
}

/** The effects of an operation on the platform. */
export const effects = ['read', 'write', 'destructive'] as const

/**
 * Returns the actions that record a decision. They set the effect and remove `x-assumed`.
 *
 * @param effect the decision
 */
export function decisionOf({ target }: Pick<Assumed, 'target'>, effect: string): Action[] {
  const source = 'decision of a reviewer [C]'
  return [
    { target: `${target}['x-assumed']`, 'x-source': source, remove: true },
    { target, 'x-source': source, update: { 'x-effect': effect } },
  ]
}

/** An operation with an assumed effect. */
export interface Assumed {
  readonly title: string
  readonly target: string
  readonly name: string
  readonly summary: string
  readonly effect: string
}

/** Returns the operations of a contract with unreviewed effects, in order. */
export function assumedIn(contract: Json): Assumed[] {
  return operationsOf(contract)
    .filter(({ operation }) => listOf(operation['x-assumed']).includes('x-effect'))
    .map((one) => ({
      title: titleOf(one),
      target: targetOf(one),
      name: String(one.operation['x-name']),
      summary: String(one.operation['summary']),
      effect: String(one.operation['x-effect']),
    }))
}
