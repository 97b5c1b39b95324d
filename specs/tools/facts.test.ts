import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { bundleContract, interfaces } from './bundle.ts'
import { differences, elementKey, places, steps, unnamed, valueAt } from './tests/facts/compare.ts'
import { absent, type Fact, pointer, present } from './tests/facts/fact.ts'
import { tableOfFacts } from './tests/facts.ts'

const spec = {
  management: await bundleContract('management', 'spec'),
  logging: await bundleContract('logging', 'spec'),
}

type Container = Record<string, unknown>

/** Returns a copy of the spec with one change. `edit` gets the container of a place, and the key or index of the place. */
function edited({ interface: name, at }: Fact, edit: (container: Container, key: string) => void) {
  const copy = structuredClone(spec)
  const path = steps(at)
  const container = valueAt(copy[name], pointer(...path.slice(0, -1))) as Container // a place is in an object or a list
  const step = defined(path.at(-1))
  const index = Array.isArray(container) ? container.findIndex((element) => elementKey(element)?.[1] === step) : -1
  edit(container, index === -1 ? step : String(index))
  return copy
}

/** Changes the value of a fact, or its key if the key is the fact: a status, a path, the id of a requirement. */
function alter({ value }: Fact, container: Container, key: string): void {
  const element = container[key]
  const [calledBy, name] = elementKey(element) ?? []
  if (value === absent) container[key] = 'invented'
  else if (value !== present) container[key] = neighbour(value)
  else if (Array.isArray(container) && isRecord(element) && calledBy) Object.assign(element, { [calledBy]: `${name}x` })
  else {
    container[`${key}x`] = element
    delete container[key]
  }
}

function neighbour(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...value, 'invented']
  return isRecord(value) ? { ...value, invented: true } : `${value}x`
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete container[key]
}

test('the specs state every fact of the table', () => {
  const advice = 'The YAML and the table (tools/tests/facts/) differ: look into the spec, and correct the wrong one.'
  expect(differences(tableOfFacts, spec), advice).toEqual([])
})

test('the table names everything that the specs state', () => {
  const advice = 'The YAML states this without a row in the table (tools/tests/facts/): add the rows, from the spec.'
  expect(unnamed(tableOfFacts, spec), advice).toEqual([])
})

test('the comparison detects any altered or removed fact', () => {
  const unnoticed = tableOfFacts.filter((fact) => {
    const altered = edited(fact, (container, key) => alter(fact, container, key))
    const removed = fact.value === absent ? altered : edited(fact, remove)
    return [altered, removed].some((copy) => differences(tableOfFacts, copy).length === 0)
  })
  const advice = 'No row notices that these facts change: give each a row with the pointer of its own place.'
  expect(unnoticed, advice).toEqual([])
})

test.each(interfaces)('the comparison detects every addition to the %s interface', (name) => {
  const containers = places(name, spec[name]).filter(({ node }) => typeof node === 'object')
  const unnoticed = containers.filter(({ at }) => {
    const copy = structuredClone(spec)
    const container = valueAt(copy[name], at)
    if (Array.isArray(container)) container.push('invented')
    else if (isRecord(container)) Object.assign(container, { invented: {} })
    return differences(tableOfFacts, copy).length + unnamed(tableOfFacts, copy).length === 0
  })
  expect(containers).not.toEqual([])
  const advice = 'No row notices an addition here: compare the value of each field, not only that it is there.'
  expect(unnoticed, advice).toEqual([])
})

test('the table names a place once per section, and covers every section', () => {
  const rows = tableOfFacts.map(({ section, interface: name, at }) => `§${section} ${name} ${at}`)
  const twice = rows.filter((row, index) => rows.indexOf(row) !== index)
  expect(twice, 'These rows are in the table twice: remove one of each.').toEqual([])
  const named = [...new Set(tableOfFacts.map(({ section }) => section))]
  const operations = named.filter((section) => section.startsWith('4.')).length
  const sections = ['1', '2', '3', ...Array.from({ length: operations }, (_, index) => `4.${index + 1}`)]
  const advice = 'The table has rows of every section, and sections 4.N without a gap: correct the section of the rows.'
  expect(named.sort(), advice).toEqual([...sections, '5', '6', '7', '8', '9'].sort())
})
