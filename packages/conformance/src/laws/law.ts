import { contracts, type Operation, type Requirement } from '@cdn/api/contract'
import type { Check } from '../check.ts'
import { resourceOf } from '../resources.ts'

/** A check together with the requirement it looks at, which a law makes itself where the contract lists none. */
export interface Drafted {
  readonly check: Check
  readonly requirement: Requirement
}

/** A law makes the checks of one operation out of what the contract says about it. */
export type Law = (operation: Operation) => readonly Drafted[]

export interface Draft
  extends Pick<Check, 'run'>,
    Partial<Pick<Check, 'needs' | 'through' | 'effect' | 'burst' | 'wrongKey'>> {
  /** Last part of the requirement's id, for example `204`. */
  readonly slug: string
  /** A requirement of the interface as a whole to look at where the operation has none of that slug. */
  readonly topic?: string
  /** What this check looks at, where the requirement has several. */
  readonly aspect?: string
  /** The sentence, for a requirement that the contract does not list. */
  readonly text: string
}

/**
 * Makes a check of an operation. The requirement is the operation's own, else the topic's; one that stands in the
 * document gives the ground `document`, and a law without a listed requirement is supplement.
 */
export function draft(operation: Operation, draft: Draft): Drafted {
  const requirement = requirementOf(operation, draft)
  const ofTopic = draft.topic !== undefined && requirement.id === `${operation.interface}.${draft.topic}`
  const behind = [...(ofTopic ? [operation.name] : []), ...(draft.aspect ? [draft.aspect] : [])]
  const supplement = operation.ground === 'supplement' || requirement.ground === 'supplement'
  return {
    requirement,
    check: {
      id: [requirement.id, ...behind].join('/'),
      requirements: [requirement.id],
      ground: requirement.ground,
      through: supplement ? 'supplement' : (draft.through ?? 'document'),
      effect: draft.effect ?? operation.effect,
      ...(draft.burst && { burst: true }),
      ...(draft.wrongKey && { wrongKey: true }),
      needs: draft.needs ?? needsOf(operation),
      run: draft.run,
    },
  }
}

/** Whether the contract lists a requirement of the operation. */
export function isListed(operation: Operation, slug: string): boolean {
  return find(operation, `${operation.name}.${slug}`) !== undefined
}

/**
 * Id of the requirement that a law with this slug and topic looks at: the operation's own, else the topic's, else the
 * one that the law makes itself.
 */
export function requirementIdOf(operation: Operation, slug: string, topic?: string): string {
  return requirementOf(operation, { slug, text: '', ...(topic !== undefined && { topic }) }).id
}

function requirementOf(
  operation: Operation,
  { slug, topic, text }: Pick<Draft, 'slug' | 'topic' | 'text'>,
): Requirement {
  const own = find(operation, `${operation.name}.${slug}`)
  const id = `${operation.interface}.${operation.name}.${slug}`
  return (
    own ??
    (topic === undefined ? undefined : find(operation, topic)) ?? {
      id,
      section: operation.area,
      text,
      ground: 'supplement',
      interface: operation.interface,
    }
  )
}

function find(operation: Operation, name: string): Requirement | undefined {
  const id = `${operation.interface}.${name}`
  return contracts[operation.interface].requirements.find((requirement) => requirement.id === id)
}

/** What a plain request to the operation needs: its resource and a credential. */
export function needsOf(operation: Operation): Check['needs'] {
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
