import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'
import { bundleContract, interfaces, specsFolder } from '../bundle.ts'
import { pointer, steps, valueAt, visitDocument } from '../tests/visit-document.ts'
import { compareWithText } from './compare.ts'

const text = readFileSync(join(specsFolder, 'SPEC.md'), 'utf8')
const [management, logging] = await Promise.all(interfaces.map((name) => bundleContract(name, 'spec')))
const spec: Readonly<Record<string, Record<string, unknown>>> = { management: management ?? {}, logging: logging ?? {} }
const all = Object.entries(spec)
  .flatMap(([name, document]) => visitDocument(document).map((place) => ({ name, ...place })))
  .filter(({ name, at }) => name !== 'logging' || !/\/tags\b/.test(at)) // the spec names no areas of this interface

/** The key of a place. The members of a list have the key of the list. */
const keyOf = (at: string) => steps(at).findLast((step) => !/^\d\d?$/.test(step)) ?? ''

const isPlain = (node: unknown) => typeof node !== 'object' || node === null
/** Other values that the spec has for the same key: statuses for a status, scopes for a scope, any number for a number. */
function otherValues(at: string, node: unknown): readonly unknown[] {
  const isScheme = (place: string) => place.startsWith('/components/securitySchemes')
  const sameKind = (other: (typeof all)[number]) =>
    isPlain(other.node) &&
    typeof other.node === typeof node &&
    (typeof node === 'number' || (keyOf(other.at) === keyOf(at) && isScheme(other.at) === isScheme(at)))
  const values = all.filter(sameKind).map((other) => other.node)
  return [...new Set(typeof node === 'number' ? [...values, 3, 10, 64] : values)].filter((value) => value !== node)
}

/** Maps whose keys are facts. `otherKeys` returns keys that the spec has in other maps of the same kind. */
const maps = ['paths', 'responses', 'properties', 'content']
function otherKeys(at: string): readonly string[] {
  const parent = keyOf(pointer(...steps(at).slice(0, -1)))
  const isMethod = steps(at).length === 3 && steps(at)[0] === 'paths'
  if (isMethod) return ['get', 'post', 'put', 'delete'].filter((method) => method !== keyOf(at))
  if (!maps.includes(parent)) return []
  const keys = all
    .filter((other) => keyOf(pointer(...steps(other.at).slice(0, -1))) === parent)
    .map((other) => keyOf(other.at))
  return [...new Set([...keys, ...(parent === 'content' ? ['text/plain'] : [])])].filter(
    (key) => key !== keyOf(at) && !/^2XX$|^default$/.test(key),
  )
}

/** Alters each fact in every way that the spec itself suggests. */
function* alterations(): Generator<{ readonly at: string; readonly to: unknown; readonly documents: typeof spec }> {
  for (const { name, at, node } of all) {
    const end = steps(at).at(-1) ?? ''
    const copyWith = (change: (container: unknown) => void) => {
      const documents = structuredClone(spec)
      change(valueAt(documents[name], pointer(...steps(at).slice(0, -1))))
      return documents
    }
    if (isPlain(node) && end !== 'section' && end !== 'id')
      for (const to of otherValues(at, node))
        yield { at, to, documents: copyWith((container) => Object.assign(container as object, { [end]: to })) }
    for (const to of otherKeys(at)) {
      const documents = copyWith((container) => {
        if (!isRecord(container) || to in container) return
        const renamed = Object.entries(container).map(([key, value]) => [key === end ? to : key, value])
        for (const key of Object.keys(container)) Reflect.deleteProperty(container, key)
        Object.assign(container, Object.fromEntries(renamed))
      })
      if (JSON.stringify(documents) !== JSON.stringify(spec)) yield { at, to, documents }
    }
  }
}

test('the contract states what the text of the spec states, and nothing else', () => {
  expect(compareWithText(text, spec)).toEqual([])
})

test('an altered fact of the contract is noticed', () => {
  const unnoticed: string[] = []
  let count = 0
  for (const { at, to, documents } of alterations()) {
    count++
    if (compareWithText(text, documents).length === 0) unnoticed.push(`${at} -> ${JSON.stringify(to)}`)
  }
  expect(count).toBeGreaterThan(200)
  expect(unnoticed.length / count, unnoticed.join('\n')).toBeLessThan(0.1)
  // SPEC.md states these facts only in prose, which the comparison does not read: docs/decisions/text-of-the-spec.md.
  const inProse = /\/x-change|\/x-effect$|\/type$/
  expect(unnoticed.filter((each) => !inProse.test(each.split(' ')[0] ?? ''))).toEqual([])
})
