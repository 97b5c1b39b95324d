import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { bundleContract, interfaces } from './bundle.ts'
import { differences, elementKey, places, steps, unnamed, valueAt } from './tests/facts/compare.ts'
import { absent, type Fact, pointer, present } from './tests/facts/fact.ts'
import { tableOfFacts } from './tests/facts.ts'

const [management, logging] = await Promise.all([
  bundleContract('management', 'document'),
  bundleContract('logging', 'document'),
])
const documents = { management, logging }

/** Returns copies of the documents with one change. `edit` gets the container of a fact, and the key or index of the fact. */
function edited(fact: Pick<Fact, 'interface' | 'at'>, edit: (container: Container, key: string) => void) {
  const copy = structuredClone(documents)
  const path = steps(fact.at)
  // The place of a fact is in an object or a list.
  const container = valueAt(copy[fact.interface], pointer(...path.slice(0, -1))) as Container
  const step = defined(path.at(-1))
  const index = Array.isArray(container) ? container.findIndex((element) => elementKey(element)?.[1] === step) : -1
  edit(container, index === -1 ? step : String(index))
  return copy
}
type Container = Record<string, unknown>

/** Changes the value of a fact slightly. */
function alter({ value }: Fact, container: Container, key: string): void {
  if (value === absent) container[key] = 'invented'
  else if (value === present) rename(container, key)
  else container[key] = neighbour(value)
}

/** Changes the key. Used if the key itself is the fact: a status, a path, the id of a requirement. */
function rename(container: Container, key: string): void {
  const element = container[key]
  const [calledBy, name] = elementKey(element) ?? []
  if (Array.isArray(container) && isRecord(element) && calledBy) Object.assign(element, { [calledBy]: `${name}x` })
  else {
    container[`${key}x`] = container[key]
    delete container[key]
  }
}

function neighbour(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.slice(0, -1)
  return typeof value === 'string' ? `${value}x` : { type: 'string' }
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete container[key]
}

test('the specs state every fact of the table', () => {
  expect(differences(tableOfFacts, documents), 'the table (facts/) and the specs differ').toEqual([])
})

test('the comparison detects any altered or removed fact', () => {
  const unnoticed = tableOfFacts.flatMap((fact) => {
    const altered = edited(fact, (container, key) => alter(fact, container, key))
    const removed = fact.value === absent ? altered : edited(fact, remove)
    return [altered, removed].some((copy) => differences(tableOfFacts, copy).length === 0) ? [fact] : []
  })
  expect(unnoticed).toEqual([])
})

test('the table names everything that the contract states', () => {
  expect(unnamed(tableOfFacts, documents), 'no row of the table (facts/) names these places of the specs').toEqual([])
})

test.each(interfaces)('the comparison detects every addition to the %s interface', (name) => {
  const containers = places(name, documents[name]).filter(({ node }) => typeof node === 'object')
  const unnoticed = containers.filter(({ at }) => {
    const copy = structuredClone(documents)
    const container = valueAt(copy[name], at)
    if (Array.isArray(container)) container.push('invented')
    else if (isRecord(container)) Object.assign(container, { invented: {} })
    return differences(tableOfFacts, copy).length + unnamed(tableOfFacts, copy).length === 0
  })
  expect(containers).not.toEqual([])
  expect(unnoticed).toEqual([])
})

test('the table names a place once per section, and covers every section', () => {
  const rows = tableOfFacts.map(({ section, interface: name, at }) => `${section} ${name} ${at}`)
  expect(new Set(rows).size).toBe(rows.length)
  const named = new Set(tableOfFacts.map(({ section }) => section))
  // Sections 4.N are numbered without gaps.
  const operations = [...named].filter((section) => section.startsWith('4.'))
  expect(operations.length).toBeGreaterThanOrEqual(4)
  const sections = ['1', '2', '3', ...operations.map((_, index) => `4.${index + 1}`), '5', '6', '7', '8', '9']
  expect([...named].sort()).toEqual(sections.sort())
})
