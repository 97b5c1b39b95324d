import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const { packageManager } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'))
const out = mkdtempSync(join(tmpdir(), 'package-'))
let tarball: Buffer<ArrayBuffer>

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

beforeAll(() => {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  run(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'])
  run('npx', ['--yes', '--prefer-offline', packageManager, 'pack', '--out', join(out, 'package.tgz')])
  tarball = readFileSync(join(out, 'package.tgz'))
}, 120_000)
afterAll(() => rmSync(out, { recursive: true }))

test('publint has nothing to say about the packed tarball', async () => {
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
  expect(messages).toEqual([])
})

test('the types are right for whoever imports the packed tarball', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (!analysis.types) throw new Error('The tarball holds no types')
  // ESM only: CommonJS reaches it by `import()`, and the resolution of old compilers knows no `exports`.
  const problems = analysis.problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  expect(problems).toEqual([])
})

test('the tarball holds what runs and its types, no tests, no sources, and no reference within the workspace', () => {
  const contents = createPackageFromTarballData(tarball)
  const files = contents.listFiles().map((file) => file.replace('/node_modules/@cdn/api/', ''))
  expect(files.filter((file) => !/^(package\.json|README\.md|dist\/.+(\.js|\.d\.ts|\.json))$/.test(file))).toEqual([])
  expect(files.filter((file) => file.includes('.test.'))).toEqual([])
  const { dependencies, exports } = JSON.parse(contents.readFile('/node_modules/@cdn/api/package.json'))
  expect(Object.values(dependencies).filter((version) => String(version).startsWith('workspace:'))).toEqual([])
  expect(JSON.stringify(exports)).not.toContain('/src/')
})
