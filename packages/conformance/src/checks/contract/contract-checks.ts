import { contracts, type Operation } from '@cdn/api/contract'
import type { Check, CheckedRequirement } from '../../core/check.ts'
import { baseOf } from '../../core/requested-operation.ts'
import { isImported, resourceOf } from '../resources.ts'
import { needsNewItem } from '../state/items.ts'

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
  readonly source?: 'robustness'
}

/**
 * Makes a check of an operation. The check verifies the operation's own requirement, or else the requirement of the
 * topic. If the contract lists neither, `draft` creates a requirement with the source `supplement`. The check has the
 * source of its requirement.
 */
export function draft(operation: Operation, draft: Draft): Drafted {
  const requirement = requirementOf(operation, draft)
  const ofTopic = draft.topic !== undefined && requirement.id === `${operation.interface}.${draft.topic}`
  const behind = [...(ofTopic ? [operation.name] : []), ...(draft.aspect ? [draft.aspect] : [])]
  const part = partOf(operation, draft.part, ofTopic)
  const supplement = operation.source === 'supplement' || requirement.source === 'supplement'
  return {
    requirement,
    check: {
      id: [requirement.id, ...behind].join('/'),
      requirements: [requirement.id],
      source: requirement.source,
      basis: supplement ? 'supplement' : (draft.basis ?? 'spec'),
      // The suite creates the item that such a read needs.
      effect: draft.effect ?? (operation.effect === 'read' && needsNewItem(operation) ? 'write' : operation.effect),
      ...(part !== undefined && { part }),
      ...(draft.burst && { burst: true }),
      ...(draft.wrongKey && { wrongKey: true }),
      needs: draft.needs ?? needsOf(operation),
      ...(draft.uses && { uses: draft.uses }),
      run: (context) => {
        baseOf(context, operation.interface) // skips if the target does not serve the interface, before anything is prepared
        return draft.run(context)
      },
    },
  }
}

/**
 * Returns the part that a check covers. A requirement of a whole interface covers several operations: both versions of
 * the logs, or the management operations that the spec itself describes.
 */
function partOf(operation: Operation, part: string | undefined, ofTopic: boolean): string | undefined {
  if (!ofTopic) return part
  if (operation.interface === 'logging') return part === undefined ? operation.name : `${operation.name} with ${part}`
  return operation.source === 'spec' ? (part ?? operation.name) : undefined
}

/** Whether the contract lists a requirement of the operation. */
export function isListed(operation: Operation, slug: string): boolean {
  return find(operation, `${operation.name}.${slug}`) !== undefined
}

/**
 * Id of the requirement that a check with this slug and topic verifies: the operation's own requirement, or else that of
 * the topic, or else the one that `draft` creates.
 */
export function requirementIdOf(operation: Operation, slug: string, topic?: string): string {
  return requirementOf(operation, { slug, text: '', ...(topic !== undefined && { topic }) }).id
}

function requirementOf(
  operation: Operation,
  { slug, topic, text, source }: Pick<Draft, 'slug' | 'topic' | 'text' | 'source'>,
): CheckedRequirement {
  const listed = find(operation, `${operation.name}.${slug}`)
  const id = `${operation.interface}.${operation.name}.${slug}`
  return (
    listed ??
    (topic === undefined ? undefined : find(operation, topic)) ?? {
      id,
      section: operation.area,
      text,
      source: source ?? 'supplement',
      interface: operation.interface,
    }
  )
}

function find(operation: Operation, name: string): CheckedRequirement | undefined {
  const id = `${operation.interface}.${name}`
  return contracts[operation.interface].requirements.find((requirement) => requirement.id === id)
}

/** The fixtures that a plain request to the operation needs: its resource and a credential. */
export function needsOf(operation: Operation): Check['needs'] {
  if (isImported(operation)) return []
  const resource = resourceOf(operation)
  return resource ? [resource.present, 'credentials.accessKey'] : ['credentials.accessKey']
}

/** The slug of a scope or a field: `SubuserAPIStream` becomes `subuser-api-stream`. */
export function toSlug(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/** Returns ids that a careless server takes for another id: cut to 32 or 64 bits, or without the sign. */
export function misreadings(id: string): string[] {
  return [2n ** 32n + BigInt(id), 2n ** 64n + BigInt(id), -BigInt(id)].map(String)
}
