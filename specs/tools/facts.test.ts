import { isRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { bundleContract, interfaces } from './bundle.ts'
import { differences, places, steps, unnamed, valueAt } from './tests/facts/compare.ts'
import { absent, pointer, present } from './tests/facts/fact.ts'
import { tableOfFacts } from './tests/facts.ts'

const spec = {
  management: await bundleContract('management', 'spec'),
  logging: await bundleContract('logging', 'spec'),
}

const nothing = { management: {}, logging: {} }

/** Returns another value of the same kind. */
function neighbour(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...value, 'invented']
  return isRecord(value) ? { ...value, invented: true } : `${value}x`
}

test('the specs state every fact of the table', () => {
  const advice = 'The YAML and the table (tools/tests/facts/) differ: look into the spec, and correct the wrong one.'
  expect(differences(tableOfFacts, spec), advice).toEqual([])
})

test('the table names everything that the specs state', () => {
  const advice = 'The YAML states this without a row in the table (tools/tests/facts/): add the rows, from the spec.'
  expect(unnamed(tableOfFacts, spec), advice).toEqual([])
})

test('the comparison notices that a fact is missing, has another value, or should be absent', () => {
  const stated = tableOfFacts.filter(({ value }) => value !== absent)
  const unnoticed = stated.filter((fact) => {
    const { value } = fact
    const altered = value === present ? [] : [differences([{ ...fact, value: neighbour(value) }], spec)]
    const all = [differences([fact], nothing), differences([{ ...fact, value: absent }], spec), ...altered]
    return all.some((found) => found.length === 0)
  })
  expect(unnoticed).toEqual([])
  const lost = tableOfFacts.filter(({ interface: name, at, value }) => {
    const container = pointer(...steps(at).slice(0, -1))
    return value === absent && valueAt(spec[name], container) === undefined
  })
  expect(lost, 'What contains an absent place is itself absent: correct the pointer.').toEqual([])
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
