import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toRecord } from '@cdn/kit/record'
import { describe, expect, test } from 'vitest'
import { bundleContract, type InterfaceName, interfaces } from './bundle.ts'
import { lintOverlay } from './lint/lint-overlay.ts'
import { createScratch } from './redocly.ts'
import { copySpecs, replaceIn } from './tests/test-area.ts'
import { pointer, valueAt, visitDocument } from './tests/visit-document.ts'

async function load(name: InterfaceName) {
  const [spec, full] = await Promise.all([bundleContract(name, 'spec'), bundleContract(name, 'full')])
  return { spec, full }
}
const [management, logging] = await Promise.all([load('management'), load('logging')])
const contracts = { management, logging }

test.each(interfaces)('every action of the %s overlay has an effect', async (name) => {
  expect(await lintOverlay(name)).toEqual([])
})

test('an action whose target matches nothing is refused with its line', async () => {
  await using scratch = await createScratch()
  await copySpecs(scratch.path)
  const file = join(scratch.path, 'management/supplement.overlay.yaml')
  const target = "$.paths['/pullzone/{id}/addAllowedReferrer'].post.responses['default']"
  await replaceIn(file, `target: ${target}`, `target: ${target.replace('post', 'put')}`)
  const line = (await readFile(file, 'utf8')).split('\n').findIndex((each) => each.includes('.put.responses')) + 1
  const message = expect.stringContaining('matches nothing, or its action changes nothing: correct the target')
  expect(await lintOverlay('management', scratch.path)).toMatchObject([
    { file: 'management/supplement.overlay.yaml', line, message },
  ])
})

describe('the statements of the spec', () => {
  const add = pointer('paths', '/pullzone/{id}/addAllowedReferrer', 'post', 'responses')
  const query = pointer('paths', '/v2/pullzones/{pullZoneId}/logs', 'get', 'responses')
  const errors = pointer('components', 'schemas', 'Error', 'properties')
  const errorSchema = pointer('401', 'content', 'application/json', 'schema')

  /** Places where more precise facts of the supplement replace general statements of the spec. */
  const replaced: Record<InterfaceName, string[]> = {
    management: [
      // The supplement lists the statuses and allows null or missing error fields.
      `${add}${errorSchema}/allOf`,
      `${add}${errorSchema}/required`,
      `${add}/2XX`,
      `${add}/default`,
      `${errors}/ErrorKey/type`,
      `${errors}/Field/type`,
      `${errors}/Message/type`,
    ],
    // The supplement states that the success is 200.
    logging: [`${query}/2XX`],
  }

  test.each(interfaces)('are in the full %s contract, except those that the supplement replaces', (name) => {
    const { spec, full } = contracts[name]
    const lost = visitDocument(spec).flatMap(({ at, node }) => {
      const inFull = valueAt(full, at)
      const same = typeof node === 'object' ? inFull !== undefined : inFull === node
      return same ? [] : [at]
    })
    const topmost = lost.filter((at) => !lost.some((other) => at.startsWith(`${other}/`)))
    const advice =
      'The supplement replaces other statements of the spec than `replaced` lists: add to the spec, or list them.'
    expect(topmost.sort(), advice).toEqual(replaced[name].sort())
  })

  test.each(interfaces)('about the %s interface as a whole stay unchanged', (name) => {
    expect(contracts[name].full['info']).toEqual(contracts[name].spec['info'])
  })

  test('are not claimed by the supplement: its requirements have a heading instead of a section', () => {
    for (const name of interfaces) {
      const inSpec = new Set(sections(name, 'spec').keys())
      for (const [id, section] of sections(name, 'full')) if (!inSpec.has(id)) expect(section).toMatch(/^[A-Z]/)
    }
  })
})

/** The section of each requirement of a layer, by pointer. */
function sections(name: InterfaceName, layer: 'spec' | 'full'): Map<string, unknown> {
  const pairs = visitDocument(contracts[name][layer]).filter(({ at }) => /\/x-requirements\/[^/]+\/section$/.test(at))
  return new Map(pairs.map(({ at, node }) => [at, node]))
}

test('both versions of logging state the same codes for the same statuses (§7)', () => {
  const codes = (path: string) => {
    const responses = valueAt(contracts.logging.full, pointer('paths', path, 'get', 'responses'))
    return Object.entries(toRecord(responses))
      .filter(([status]) => /^[45]/.test(status))
      .map(([status, response]) => [status, toRecord(response)['x-error-code']])
  }
  const v2 = codes('/v2/pullzones/{pullZoneId}/logs')
  expect(v2).not.toEqual([])
  expect(codes('/{date}/{pullZoneId}.log')).toEqual(v2)
})
