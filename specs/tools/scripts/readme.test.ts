import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { specsFolder } from '../bundle.ts'
import { withRequirements } from './readme.ts'

const readme = await readFile(join(specsFolder, 'README.md'), 'utf8')

test('README.md has the current table of requirements; `node tools/scripts/readme.ts` writes it', async () => {
  expect(readme).toBe(await withRequirements(readme))
})

test('the test detects a missing requirement and a missing marker', async () => {
  const poorer = readme.replace(' `429`', '')
  expect(poorer).not.toBe(readme)
  expect(await withRequirements(poorer)).toBe(readme)
  await expect(withRequirements('# Nothing here')).rejects.toThrow('README.md has no table')
})
