/**
 * Maps each check to the requirement that it decides. The contract lists or implies each requirement, except those of robustness.
 */
import { contracts, type Operation, type StatedOperation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Check, CheckedRequirement, CheckSource } from './check.ts'
import { fixturesOfOperation, needsNewItem } from './resources.ts'

/**
 * Pattern of the id of a check, as one literal, so that a search finds it. `<interface>` stands for the interface of an operation,
 * `<operation>` for `<interface>.<name>`, and any other name in brackets for one of the `values` of the check. The text after a slash
 * distinguishes the checks of one requirement.
 */
export type Decides = `<${'operation' | 'interface'}>.${string}`

export interface Decided {
  readonly check: Check
  readonly requirement: CheckedRequirement
}

/** Returns the checks of an operation that follow from the contract. */
export type ChecksOf = (operation: Operation) => readonly Decided[]

/**
 * A check of an operation before its id and requirement are known. By default, it has the effect and the needs of a plain request.
 */
export interface Decision
  extends Pick<Check, 'run'>,
    Partial<Pick<Check, 'needs' | 'uses' | 'basis' | 'effect' | 'burst' | 'wrongKey' | 'part' | 'sends'>> {
  /** Of several ids, the check decides the first that the contract lists, or else the first that the contract implies. */
  readonly decides: Decides | readonly Decides[]
  readonly values?: Readonly<Record<string, string>>
}

/** Sentences of the requirements that the contract implies. A requirement that the contract lists has its own sentence. */
const derived: Readonly<Record<Decides, string>> = {
  '<operation>.<status>': 'A valid request is answered <status>.',
  '<operation>.2xx': 'A valid request succeeds.',
  '<operation>.body': 'The body of a success has the stated shape.',
  '<operation>.<scheme>': 'The operation accepts the scheme <scheme>.',
  '<operation>.scope-<scope>': 'The scope <scope> is enough.',
  '<operation>.scope-missing': 'A request whose credential has none of the scopes changes nothing.',
  '<operation>.401-missing': 'A request without credentials is answered 401.',
  '<operation>.401': 'A request whose authorization failed is answered 401.',
  '<operation>.400': 'A request that is not valid is answered 400.',
  '<operation>.422': 'A request whose content is not valid is answered 422.',
  '<operation>.404': 'A resource that does not exist is answered 404.',
  '<operation>.request-object': 'A request without a JSON object as its body changes nothing.',
  '<operation>.<field>-<constraint>': 'A request that breaks the <constraint> of <field> changes nothing.',
  '<operation>.effect': 'The change is visible afterwards, and nothing else changes.',
  '<operation>.one-per-call': 'The other values of the list stay.',
  '<operation>.collection': 'The field is a list.',
  '<operation>.id': 'The id in the path selects the item.',
  '<operation>.pages':
    'Without page, a list is a plain array. Its pages hold the same items, each once, and a search selects items by their name.',
  '<operation>.filters-combine': 'Each filter narrows the result, whatever the order of the filters.',
  '<operation>.country-filter': 'country picks entries with exactly this countryCode.',
  '<operation>.edge-location-filter': 'edgeLocation picks entries with exactly this edgeLocation.',
  '<operation>.remote-ip-filter': 'remoteIp picks entries with this address.',
  '<operation>.request-id-filter': 'requestId picks entries with this requestId.',
  '<operation>.url-contains-filter': 'urlContains picks entries whose host and path contain the text, in any case.',
  '<operation>.user-agent-contains-filter':
    'userAgentContains picks entries whose userAgent contains the text, in any case.',
  '<operation>.referer-contains-filter': 'refererContains picks entries whose referer contains the text, in any case.',
  '<operation>.origin-shield': 'Requests to the origin shield are shown on request, together with all others.',
  '<operation>.has-more': 'hasMore is true on every page except the last.',
  '<operation>.zone': 'A file holds the lines of the pull zone in its path.',
  '<operation>.search': 'search picks lines that contain the text.',
  '<operation>.slice': 'start skips lines.',
  '<operation>.slice-end': 'end ends the slice; whether the slice includes the line at end is unspecified.',
  '<operation>.no-match': 'A filter with a text that no entry has picks no entry.',
  '<operation>.addresses': 'A pull zone that anonymises addresses shows only their networks, or no addresses.',
  '<operation>.default-range': 'The default range is the last 24 hours.',
  '<operation>.notations': 'Queries with the same meaning get the same response, whatever their notation.',
  '<operation>.encoding': 'A body is UTF-8 and not cut off, and its headers state its real type and length.',
  '<operation>.attachment': 'The file comes as an attachment, unless download is false.',
  '<operation>.retention-gone': 'A day that lies before the retention shows no lines.',
}

/** Sentences of requirements that the contract neither lists nor implies. Their source is `robustness`. */
const robustness: Readonly<Record<Decides, string>> = {
  '<operation>.negotiation': 'Whatever a client accepts, it gets the stated body, in a coding that it accepts.',
  '<operation>.retry-after':
    'Retry-After states a pause of at most one window of the limit, after which a request succeeds.',
  '<operation>.other-methods': 'A request with a method that the contract does not state changes nothing.',
  '<operation>.robustness': 'No request makes the server fail, and a refused request changes nothing.',
}

/**
 * Finds a requirement of the contract.
 *
 * @throws Error if the contract lists none with this id
 */
export function requirement(id: string): CheckedRequirement {
  const found = listed.get(id)
  if (!found) throw new Error(`the contract lists no requirement ${id}`)
  return found
}

const listed: ReadonlyMap<string, CheckedRequirement> = new Map(
  Object.values(contracts).flatMap(({ requirements }) => requirements.map((each) => [each.id, each])),
)

/** The source of a requirement, by its id. Requirements that the contract does not list are of the supplement or of robustness. */
export function sourceOf(id: string): CheckSource {
  const isOfRobustness = Object.keys(robustness).some((pattern) => id.endsWith(pattern.replace(/^<\w+>/, '')))
  return listed.get(id)?.source ?? (isOfRobustness ? 'robustness' : 'supplement')
}

/** Whether the contract lists the requirement `<interface>.<operation>.<end>`. */
export function contractLists({ interface: of, name }: Operation, end: string): boolean {
  return listed.has(`${of}.${name}.${end}`)
}

/**
 * Makes a check of an operation. The check has the source of its requirement.
 *
 * @throws Error if the contract does not list the requirement, and neither `derived` nor `robustness` has it
 */
export function decide(operation: Operation, { decides, values = {}, part: stated, ...rest }: Decision): Decided {
  const { pattern, fill, requirement: found } = resolve(operation, { decides, values })
  const isShared = pattern.startsWith('<interface>.')
  const part = isShared ? partOfShared(operation, stated) : stated
  const suffix = fill(pattern.split('/').slice(1).join('/'))
  const { basis = 'spec' } = rest
  return {
    requirement: found,
    check: {
      id: [found.id, isShared ? operation.name : '', suffix].filter(Boolean).join('/'),
      decides: pattern,
      requirements: [found.id],
      source: found.source,
      // A read that needs a new item counts as a write, because the suite creates the item.
      effect: operation.effect === 'read' && needsNewItem(operation) ? 'write' : operation.effect,
      needs: needsOf(operation),
      ...rest,
      basis: [operation.source, found.source].includes('supplement') ? 'supplement' : basis,
      ...(part !== undefined && { part }),
    },
  }
}

/**
 * Returns the requirement that a check of an operation decides.
 *
 * @throws Error if the contract does not list the requirement, and neither `derived` nor `robustness` has it
 */
export function requirementOf(operation: Operation, decides: Pick<Decision, 'decides' | 'values'>): CheckedRequirement {
  return resolve(operation, decides).requirement
}

function resolve(operation: Operation, { decides, values = {} }: Pick<Decision, 'decides' | 'values'>) {
  const patterns: readonly Decides[] = typeof decides === 'string' ? [decides] : decides
  const fill = (text: string) =>
    text.replace(/<([\w-]+)>/g, (_, name: string) => valuesOf(operation)[name] ?? values[name] ?? '')
  const idOf = (pattern: Decides) => fill(pattern.split('/')[0] ?? '')
  const isDerived = (each: Decides) => sentenceOf(each) !== undefined
  const pattern =
    patterns.find((each) => listed.has(idOf(each))) ?? patterns.find(isDerived) ?? assertDefined(patterns[0])
  const requirement = listed.get(idOf(pattern)) ?? derive(operation, pattern, fill)
  return { pattern, fill, requirement }
}

function valuesOf({ interface: of, name }: Operation): Readonly<Record<string, string>> {
  return { interface: of, operation: `${of}.${name}` }
}

function sentenceOf(decides: Decides): string | undefined {
  const [pattern = ''] = decides.split('/')
  return derived[pattern as Decides] ?? robustness[pattern as Decides]
}

function derive(operation: Operation, decides: Decides, fill: (text: string) => string): CheckedRequirement {
  const text = sentenceOf(decides)
  const [pattern = ''] = decides.split('/')
  const id = fill(pattern)
  if (text === undefined) throw new Error(`the contract neither lists the requirement ${id} nor implies it`)
  const source = pattern in robustness ? 'robustness' : 'supplement'
  const section = pattern.startsWith('<interface>.') ? 'all operations' : operation.area
  return { id, section, text: fill(text), source, interface: operation.interface }
}

/**
 * Returns the part of an interface's requirement that a check covers. On the logging interface, it is the operation, with the
 * given part if there is one. On the management interface, it is the given part, or else the operation; an operation that only
 * the supplement states covers none.
 */
function partOfShared({ interface: of, name, source }: Operation, part: string | undefined): string | undefined {
  if (of === 'logging') return part === undefined ? name : `${name} with ${part}`
  return source === 'spec' ? (part ?? name) : undefined
}

/** The fixtures that a plain request to the operation needs: the first fixture of its area, if there is one, and the API key. */
export function needsOf(operation: Operation): Check['needs'] {
  const resource = fixturesOfOperation(operation)
  return resource ? [resource.own[0], 'credentials.accessKey'] : ['credentials.accessKey']
}

/** Whether an id matches a pattern, in which `*` stands for any text. */
export function matchesPattern(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id)
}

/** The possible ids of the requirement that the id in the path selects the item. The contract may name the item in the id. */
export const ofId = ['<operation>.<item>-id', '<operation>.id'] as const

/** The name that the contract gives the item in that requirement, such as `zone`. */
export function itemName({ interface: of, name }: StatedOperation): Readonly<Record<'item', string>> {
  const prefix = `${of}.${name}.`
  const listed = contracts[of].requirements.find(({ id }) => id.startsWith(prefix) && id.endsWith('-id'))
  return { item: listed?.id.slice(prefix.length, -'-id'.length) ?? '' }
}
