import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const out = mkdtempSync(join(tmpdir(), 'package-'))
let tarball: Buffer<ArrayBuffer>

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

beforeAll(() => {
  run(process.execPath, ['../../scripts/build-package.mjs'])
  run(process.execPath, ['../../scripts/pnpm.mjs', 'pack', '--out', join(out, 'package.tgz')])
  tarball = readFileSync(join(out, 'package.tgz'))
}, 300_000)
afterAll(() => rmSync(out, { recursive: true }))

test('publint reports no problem in the packed tarball', async () => {
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
  expect(messages).toEqual([])
})

test('the types of the packed tarball are right for importers', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (!analysis.types) throw new Error('The tarball holds no types')
  // Two problems are expected. The package is ESM only, so CommonJS must use `import()`. Old compilers ignore `exports`.
  const problems = analysis.problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  expect(problems).toEqual([])
})

test('the tarball holds the code and its types, a licence, no tests, and no reference within the workspace', () => {
  const contents = createPackageFromTarballData(tarball)
  const files = contents.listFiles().map((file) => file.replace('/node_modules/@cdn/api/', ''))
  expect(
    files.filter((file) => !/^(package\.json|README\.md|LICENSE|dist\/.+(\.js|\.js\.map|\.d\.ts|\.json))$/.test(file)),
  ).toEqual([])
  expect(files).toContain('LICENSE')
  expect(files.filter((file) => file.includes('.test.'))).toEqual([])
  const code = files
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .map((file) => contents.readFile(`/node_modules/@cdn/api/${file}`))
  expect(code.filter((text) => text.includes('@cdn/kit'))).toEqual([])
  const { dependencies, exports } = JSON.parse(contents.readFile('/node_modules/@cdn/api/package.json'))
  expect(Object.values(dependencies).filter((version) => String(version).startsWith('workspace:'))).toEqual([])
  expect(JSON.stringify(exports)).not.toContain('/src/')
})
