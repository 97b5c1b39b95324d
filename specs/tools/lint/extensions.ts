/**
 * The structure of every `x-` key of the contract. Redocly's built-in rule `struct` validates the files against this structure,
 * and finds missing keys, wrong types and unknown effects. `rules/` has the rules that a structure cannot express.
 */
import type { NodeType, NodeTypes } from './rule.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

/** Node types that the contract adds, with their structure. */
const added: NodeTypes = {
  Requirement: {
    properties: { id: text, section: text, text, unchecked: text },
    required: ['id', 'section', 'text'],
  },
  Requirements: { properties: {}, items: 'Requirement' },
  OpenPoint: { properties: { id: text, section: text, text, unchecked: text }, required: ['id', 'section', 'text'] },
  OpenPoints: { properties: {}, items: 'OpenPoint' },
  RateLimit: {
    properties: { requests: { type: 'integer', minimum: 1 }, window: text, per: text },
    required: ['requests', 'window', 'per'],
  },
  LineField: {
    properties: {
      name: text,
      type: { enum: ['string', 'integer'] },
      unit: text,
      extended: { type: 'boolean' },
    },
    required: ['name', 'type'],
  },
  LineFields: { properties: {}, items: 'LineField' },
  Resource: { properties: { name: text, id: text }, required: ['name'] },
  Change: {
    properties: { add: text, to: text, remove: text, from: text, set: 'Values' },
    requiredOneOf: ['add', 'remove', 'set'],
  },
  Values: { properties: {}, additionalProperties: {} },
}

/** A change of the whole resource is one word; a change of one of its fields is an object. */
const toChange = (value: unknown) =>
  typeof value === 'string' ? { enum: ['create', 'replace', 'merge', 'delete'] } : 'Change'

const statements: NodeType['properties'] = { 'x-requirements': 'Requirements', 'x-unspecified': 'OpenPoints' }
const limits: NodeType['properties'] = { 'x-rate-limit': 'RateLimit', 'x-retention': text }

/** Node types that the contract extends, with the additional properties. */
const extended: Readonly<Record<string, NodeType['properties']>> = {
  Root: { ...statements, ...limits, 'x-source': text, 'x-assumed': texts },
  Tag: { 'x-unspecified': 'OpenPoints' },
  PathItem: { ...statements, 'x-resource': 'Resource', 'x-assumed': texts },
  Operation: {
    ...statements,
    ...limits,
    'x-name': text,
    'x-effect': { enum: ['read', 'write', 'destructive'] },
    'x-scopes': texts,
    'x-change': toChange,
    'x-assumed': texts,
  },
  Schema: { 'x-shows': text },
  Parameter: { 'x-day': { enum: ['MM-DD-YY'] } },
  SecurityScheme: { 'x-variable': text },
  Response: { 'x-error-code': text, 'x-line': 'LineFields' },
  Action: { 'x-source': text },
}

const required: Readonly<Record<string, readonly string[]>> = {
  Action: ['x-source'],
}

/**
 * Adds the contract's `x-` keys to the node types and removes Redocly's own. The rule `known-extension` reports all other keys.
 *
 * @param types Redocly's node types
 * @returns the node types of the contract
 */
export function withExtensions(types: NodeTypes): NodeTypes {
  return {
    ...Object.fromEntries(Object.entries(types).map(([name, type]) => [name, extend(name, type)])),
    ...added,
  }
}

function extend(name: string, type: NodeType): NodeType {
  const standard = Object.entries(type.properties ?? {}).filter(([key]) => !key.startsWith('x-'))
  const requiredKeys = required[name]
  return {
    ...type,
    properties: { ...Object.fromEntries(standard), ...extended[name] },
    ...(requiredKeys && { required: requireAlso(type.required, requiredKeys) }),
  }
}

/** Adds required keys. Redocly states the required keys as a list, or as a function that returns a list. */
function requireAlso(stated: unknown, own: readonly string[]): unknown {
  if (typeof stated === 'function') return (...context: unknown[]) => [...stated(...context), ...own]
  return [...(Array.isArray(stated) ? stated : []), ...own]
}
