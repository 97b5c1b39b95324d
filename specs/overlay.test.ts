import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Action, bundle, type Interface, interfaces, readOverlay } from './bundle.ts'
import { places, valueAt } from './facts/compare.ts'
import { pointer } from './facts/fact.ts'
import { redocly } from './redocly.ts'
import { copySpecs, withScratch } from './testing.ts'

const loaded = await Promise.all(
  interfaces.map(async (name) => {
    const [document, full, overlay] = await Promise.all([
      bundle(name, 'document'),
      bundle(name, 'full'),
      readOverlay(name),
    ])
    return [name, { document, full, overlay }] as const
  }),
)
const contracts = Object.fromEntries(loaded) as Record<Interface, (typeof loaded)[number][1]>

/**
 * Leaves out one action after another and lets Redocly apply the others. It passes over a target that matches nothing, so
 * an action without which the contract is the same does nothing.
 *
 * @returns the targets of these actions
 */
async function idle(name: Interface, actions: readonly Action[]): Promise<string[]> {
  const variants = [actions, ...actions.map((action) => actions.filter((other) => other !== action))]
  const [whole, ...others] = await applyEach(name, variants)
  return actions.filter((_, index) => isDeepStrictEqual(others[index], whole)).map(({ target }) => target)
}

/**
 * Applies each list of actions to the document layer of an interface, all in one process. `--force`: an action may be left
 * out on which a later one stands; the result then differs all the same.
 */
async function applyEach(name: Interface, variants: readonly (readonly Action[])[]): Promise<unknown[]> {
  return await withScratch(async (folder) => {
    await copySpecs(folder)
    const apis = variants.map((_, index) => ({
      root: `${name}/openapi.yaml`,
      overlays: [`${index}.overlay.json`],
      output: `${index}.json`,
    }))
    await writeFile(join(folder, 'redocly.yaml'), JSON.stringify({ apis: { ...apis } }))
    for (const [index, actions] of variants.entries()) {
      const overlay = { ...contracts[name].overlay, actions }
      await writeFile(join(folder, `${index}.overlay.json`), JSON.stringify(overlay))
    }
    await redocly(['bundle', '--force'], folder)
    return await Promise.all(apis.map(async ({ output }) => JSON.parse(await readFile(join(folder, output), 'utf8'))))
  })
}

describe('every action', () => {
  test.each(interfaces)('of the %s overlay does something', async (name) => {
    expect(await idle(name, contracts[name].overlay.actions)).toEqual([])
  })

  test('one that matches nothing is noticed', async () => {
    const target = "$.paths['/nowhere']"
    const source = { 'x-source': 'nobody [D]' }
    const actions = [
      { target: '$.components', ...source, update: { schemas: { Invented: { type: 'string' } } } },
      { target, ...source, update: { summary: 'Nowhere' } },
    ]
    expect(await idle('logging', actions)).toEqual([target])
  })
})

describe('what the document says', () => {
  const add = pointer('paths', '/pullzone/{id}/addAllowedReferrer', 'post', 'responses')
  const query = pointer('paths', '/v2/pullzones/{pullZoneId}/logs', 'get', 'responses')
  const errors = pointer('components', 'schemas', 'Error', 'properties')
  const errorSchema = pointer('401', 'content', 'application/json', 'schema')

  /** Where the supplement knows more, and what the document says in general gives way to it. */
  const givenUp: Record<Interface, string[]> = {
    management: [
      // The statuses are listed, and each error field may be null or absent.
      `${add}${errorSchema}/allOf`,
      `${add}${errorSchema}/required`,
      `${add}/2XX`,
      `${add}/default`,
      `${errors}/ErrorKey/type`,
      `${errors}/Field/type`,
      `${errors}/Message/type`,
    ],
    // The success is 200.
    logging: [`${query}/2XX`],
  }

  test.each(interfaces)('stands in the full %s contract, but for what the supplement replaces', (name) => {
    const { document, full } = contracts[name]
    const lost = places(name, document).flatMap(({ at, node }) => {
      const kept = valueAt(full, at)
      const same = typeof node === 'object' ? kept !== undefined : kept === node
      return same ? [] : [at]
    })
    const topmost = lost.filter((at) => !lost.some((other) => at.startsWith(`${other}/`)))
    expect(topmost.sort()).toEqual(givenUp[name].sort())
  })

  test.each(interfaces)('of the %s interface as a whole is not for an overlay to change', (name) => {
    const { document, full, overlay } = contracts[name]
    expect(full['info']).toEqual(document['info'])
    expect(overlay.actions.filter(({ target }) => /^\$[.[]['"]?info/.test(target))).toEqual([])
  })

  test('is not claimed by the supplement: its requirements name a heading, no section', () => {
    for (const name of interfaces) {
      const documented = new Set(sections(name, 'document').keys())
      for (const [id, section] of sections(name, 'full')) if (!documented.has(id)) expect(section).toMatch(/^[A-Z]/)
    }
  })
})

/** Pointer of each requirement of a layer, to its section. */
function sections(name: Interface, layer: 'document' | 'full'): Map<string, unknown> {
  const found = places(name, contracts[name][layer]).filter(({ at }) => /\/x-requirements\/[^/]+\/section$/.test(at))
  return new Map(found.map(({ at, node }) => [at, node]))
}

test('both versions of logging state the same codes for the same statuses (§7)', () => {
  const codes = (path: string) => {
    const responses = valueAt(contracts.logging.full, pointer('paths', path, 'get', 'responses'))
    return Object.entries(responses as Record<string, Record<string, unknown>>)
      .filter(([status]) => /^[45]/.test(status))
      .map(([status, response]) => [status, response['x-error-code']])
  }
  const v2 = codes('/v2/pullzones/{pullZoneId}/logs')
  expect(v2).not.toEqual([])
  expect(codes('/{date}/{pullZoneId}.log')).toEqual(v2)
})
