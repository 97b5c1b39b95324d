import { contracts, type Operation } from '@cdn/api/contract'

import { resourceOf } from './cases/resources.ts'
import type { Check, CheckedRequirement } from './run/check.ts'
import { needsNewItem } from './scenarios/state/items.ts'

/** A check and its requirement. If the contract lists no requirement, the contract check creates one. */
export interface Drafted {
  readonly check: Check
  readonly requirement: CheckedRequirement
}

/** Makes the contract checks of one operation from what the contract states about it. */
export type ContractChecks = (operation: Operation) => readonly Drafted[]

export interface Draft
  extends Pick<Check, 'run'>,
    Partial<Pick<Check, 'needs' | 'uses' | 'basis' | 'effect' | 'burst' | 'wrongKey'>> {
  /** Last part of the requirement's id, for example `204`. */
  readonly slug: string
  /** Topic of a requirement of the whole interface. Used if the operation has no requirement with the slug. */
  readonly topic?: string
  /** What this check observes, if the requirement has several checks. */
  readonly aspect?: string
  /** The part of the requirement that this check covers, if there are several parts. For example a scheme. */
  readonly part?: string
  /** Text of the requirement, if the contract does not list it. */
  readonly text: string
  /** Source of the requirement, if the contract does not list it; `supplement` by default. */
  readonly source?: CheckedRequirement['source']
}

/**
 * Makes a check of an operation. The check verifies the operation's own requirement, or else the requirement of the
 * topic. If the contract lists neither, `draft` creates a requirement with the source `supplement`. The check has the
 * source of its requirement.
 */
export function draft(operation: Operation, draft: Draft): Drafted {
  const { slug: _, topic, text: __, source: ___, aspect, basis = 'spec', part: stated, ...rest } = draft
  const requirement = requirementOf(operation, draft)
  const ofTopic = topic !== undefined && requirement.id === `${operation.interface}.${topic}`
  const part = ofTopic ? partOfTopic(operation, stated) : stated
  // The suite creates the item that such a read needs.
  const effect = operation.effect === 'read' && needsNewItem(operation) ? 'write' : operation.effect
  return {
    requirement,
    check: {
      id: [requirement.id, ofTopic ? operation.name : '', aspect].filter(Boolean).join('/'),
      requirements: [requirement.id],
      source: requirement.source,
      basis: [operation.source, requirement.source].includes('supplement') ? 'supplement' : basis,
      effect,
      needs: needsOf(operation),
      ...rest,
      ...(part !== undefined && { part }),
    },
  }
}

/**
 * Returns the part that a check covers of a requirement of a whole interface: both versions of the logs, or the management
 * operations that the spec itself describes.
 */
function partOfTopic({ interface: of, name, source }: Operation, part: string | undefined): string | undefined {
  if (of === 'logging') return part === undefined ? name : `${name} with ${part}`
  return source === 'spec' ? (part ?? name) : undefined
}

/** Whether the contract lists a requirement of the operation. */
export function isListed(operation: Operation, slug: string): boolean {
  return find(operation, `${operation.name}.${slug}`) !== undefined
}

function requirementOf(
  operation: Operation,
  { slug, topic, text, source = 'supplement' }: Pick<Draft, 'slug' | 'topic' | 'text' | 'source'>,
): CheckedRequirement {
  const name = `${operation.name}.${slug}`
  const id = `${operation.interface}.${name}`
  const listed = find(operation, name) ?? (topic === undefined ? undefined : find(operation, topic))
  return listed ?? { id, section: operation.area, text, source, interface: operation.interface }
}

function find(operation: Operation, name: string): CheckedRequirement | undefined {
  const id = `${operation.interface}.${name}`
  return contracts[operation.interface].requirements.find((requirement) => requirement.id === id)
}

/** The fixtures that a plain request to the operation needs: its resource and a credential. */
export function needsOf(operation: Operation): Check['needs'] {
  const resource = resourceOf(operation)
  return resource ? [resource.own[0], 'credentials.accessKey'] : ['credentials.accessKey']
}

/** The slug of a scope or a field: `SubuserAPIStream` becomes `subuser-api-stream`. */
export function toSlug(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}
