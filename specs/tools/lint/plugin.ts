/** The Redocly plugin of the contract: its `x-` keys and rules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kebabCase } from '@cdn/kit/letter-case'
import { parse } from 'yaml'
import { changes } from './changes.ts'
import { type NodeType, rules as others } from './rules.ts'

type NodeTypes = Readonly<Record<string, NodeType>>

const { places, types }: { places: Record<string, NodeType['properties']>; types: NodeTypes } = parse(
  readFileSync(join(import.meta.dirname, 'extensions.yaml'), 'utf8'),
)

/** Adds the contract's `x-` keys to Redocly's node types and removes Redocly's own. */
function withExtensions(redocly: NodeTypes): NodeTypes {
  const changeOf = (value: unknown) =>
    typeof value === 'string' ? { enum: ['create', 'replace', 'merge', 'delete'] } : 'Change'
  const extended = Object.entries(redocly).map(([name, type]): [string, NodeType] => {
    const standard = Object.entries(type.properties ?? {}).filter(([key]) => !key.startsWith('x-'))
    const own = Object.entries(places[name] ?? {}).map(([key, to]) => [key, to === 'Change' ? changeOf : to])
    return [name, { ...type, properties: Object.fromEntries([...standard, ...own]) }]
  })
  return { ...Object.fromEntries(extended), ...types }
}

const rules = Object.fromEntries(Object.entries({ ...others, changes }).map(([name, rule]) => [kebabCase(name), rule]))

/** Redocly calls this function once for a configuration that names the file. */
export default function contract() {
  return {
    id: 'contract',
    typeExtension: { oas3: withExtensions, overlay1: withExtensions },
    rules: { oas3: rules, overlay1: { 'known-extension': others.knownExtension } },
  }
}
