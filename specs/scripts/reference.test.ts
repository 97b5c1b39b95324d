import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle, interfaces } from '../bundle.ts'
import { places } from '../facts/compare.ts'
import { withScratch } from '../testing.ts'
import { buildReference } from './reference.ts'

test.each(interfaces)(
  'the page of the %s interface names each point that is not shown, and what is supplement',
  async (name) => {
    const ids = places(name, await bundle(name, 'full')).flatMap(
      ({ at }) => /\/x-not-shown\/([^/]+)$/.exec(at)?.[1] ?? [],
    )
    expect(ids.length).toBeGreaterThan(8)
    await withScratch(async (folder) => {
      await buildReference(name, folder)
      const page = await readFile(join(folder, `${name}.html`), 'utf8')
      expect(ids.filter((id) => !page.includes(id))).toEqual([])
      expect(page).toContain('not in the document, but publicly known')
      expect(page).not.toMatch(/<script[^>]+src=/)
    })
  },
)
