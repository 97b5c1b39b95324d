import { expect, test } from 'vitest'
import { bundle, interfaces } from './bundle.ts'
import { differences, keyOf, places, steps, unnamed, valueAt } from './facts/compare.ts'
import { absent, type Fact, pointer, present } from './facts/fact.ts'
import { table } from './facts.ts'

const [management, logging] = await Promise.all([bundle('management', 'document'), bundle('logging', 'document')])
const documents = { management, logging }

/** The documents with one place changed: `edit` gets the container of a fact, and the key or index there. */
function edited(fact: Pick<Fact, 'interface' | 'at'>, edit: (container: Container, key: string) => void) {
  const copy = structuredClone(documents)
  const path = steps(fact.at)
  const container = valueAt(copy[fact.interface], pointer(...path.slice(0, -1))) as Container
  const step = path.at(-1) ?? ''
  const index = Array.isArray(container) ? container.findIndex((element) => keyOf(element)?.[1] === step) : -1
  edit(container, index === -1 ? step : String(index))
  return copy
}
type Container = Record<string, unknown>

/** Changes the value of a fact into another one that is close to it. */
function alter({ value }: Fact, container: Container, key: string): void {
  if (value === absent) container[key] = 'invented'
  else if (value === present) rename(container, key)
  else container[key] = neighbour(value)
}

/** Where a key is the fact, the key changes: a status, a path, the id of a requirement. */
function rename(container: Container, key: string): void {
  const [calledBy, name] = keyOf(container[key]) ?? []
  if (Array.isArray(container) && calledBy) Object.assign(container[key] as object, { [calledBy]: `${name}x` })
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

test('every fact of the source document holds', () => {
  expect(differences(table, documents), 'the table (facts/) and the specs say different things').toEqual([])
})

test('altering any fact, or taking it away, is noticed', () => {
  const unnoticed = table.flatMap((fact) => {
    const altered = edited(fact, (container, key) => alter(fact, container, key))
    const removed = fact.value === absent ? altered : edited(fact, remove)
    return [altered, removed].some((copy) => differences(table, copy).length === 0) ? [fact] : []
  })
  expect(unnoticed).toEqual([])
})

test('the contract states nothing that the table does not name', () => {
  expect(unnamed(table, documents), 'no row of the table (facts/) names these places of the specs').toEqual([])
})

test.each(interfaces)('adding anything anywhere to the %s interface is noticed', (name) => {
  const containers = places(name, documents[name]).filter(({ node }) => typeof node === 'object')
  const unnoticed = containers.filter(({ at }) => {
    const copy = structuredClone(documents)
    const container = valueAt(copy[name], at)
    if (Array.isArray(container)) container.push('invented')
    else Object.assign(container as object, { invented: {} })
    return differences(table, copy).length + unnamed(table, copy).length === 0
  })
  expect(containers).not.toEqual([])
  expect(unnoticed).toEqual([])
})

test('the table names a place once in a section, and every section that the document has', () => {
  const rows = table.map(({ section, interface: name, at }) => `${section} ${name} ${at}`)
  expect(new Set(rows).size).toBe(rows.length)
  const named = new Set(table.map(({ section }) => section))
  // A chapter more is a section 4.N more: of those none is left out on the way.
  const operations = [...named].filter((section) => section.startsWith('4.'))
  expect(operations.length).toBeGreaterThanOrEqual(4)
  const sections = ['1', '2', '3', ...operations.map((_, index) => `4.${index + 1}`), '5', '6', '7', '8', '9']
  expect([...named].sort()).toEqual(sections.sort())
})
