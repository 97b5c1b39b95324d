import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleContract, specInterfaces } from '../bundle.ts'
import { withScratch } from '../scratch.ts'
import { places } from '../tests/facts/compare.ts'
import { buildReference } from './reference.ts'

test.each(specInterfaces)(
  'the page of the %s interface marks each unspecified point and the supplement',
  async (name) => {
    const ids = places(name, await bundleContract(name, 'supplement')).flatMap(
      ({ at }) => /\/x-unspecified\/([^/]+)$/.exec(at)?.[1] ?? [],
    )
    expect(ids.length).toBeGreaterThan(8)
    await withScratch(async (folder) => {
      await buildReference(name, folder)
      const page = await readFile(join(folder, `${name}.html`), 'utf8')
      expect(ids.filter((id) => !page.includes(id))).toEqual([])
      expect(page).toContain('not in the spec, but publicly known')
      expect(page).not.toMatch(/<script[^>]+src=/)
    })
  },
)
