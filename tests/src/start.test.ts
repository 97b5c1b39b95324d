import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const manifest = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

test('npm start, which installs no development dependencies, has the optional Prism of the mock', () => {
  const { '@stoplight/prism-cli': version } = manifest('packages/conformance/package.json').peerDependencies
  expect(manifest('package.json').dependencies).toEqual({ '@stoplight/prism-cli': version })
})
