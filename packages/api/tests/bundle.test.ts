import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('bundles of programs that only call the platform do not contain the contract', async () => {
  const { metafile } = await build({
    stdin: { contents: "export * from './src/index.ts'", resolveDir: join(import.meta.dirname, '..') },
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
  })
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs: files }) => Object.keys(files))
  expect(inputs.map((input) => input.replace(/.*(?=src\/)/, ''))).toContain('src/client.ts')
  expect(inputs.filter((input) => input.includes('/contract/') || input.endsWith('.json'))).toEqual([])
})
