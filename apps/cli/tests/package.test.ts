import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const out = mkdtempSync(join(tmpdir(), 'cdn-package-'))
const tarball = join(out, 'package.tgz')

function run(command: string, args: string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

beforeAll(() => {
  run(process.execPath, ['scripts/build.ts'])
  run(process.execPath, ['../../scripts/pnpm.mjs', 'pack', '--out', tarball])
  mkdirSync(join(out, 'node_modules/@cdn'), { recursive: true })
  run('tar', ['-xzf', tarball, '-C', out])
}, 300_000)
afterAll(() => rmSync(out, { recursive: true }))

test('publint reports no problem in the packed tarball', async () => {
  const { messages } = await publint({ pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer }, strict: true })
  expect(messages).toEqual([])
})

test('the tarball runs by itself, and contains no source, no test and no reference within the workspace', () => {
  const files = run('tar', ['-tzf', tarball]).trim().split('\n')
  expect(
    files.filter(
      (file) =>
        !/^package\/(package\.json|README\.md|LICENSE|dist\/(bin\.js|start\.js|LICENSES\.txt|cdn\.1|parts\/.+\.js))$/.test(
          file,
        ),
    ),
  ).toEqual([])
  const text = readFileSync(join(out, 'package/package.json'), 'utf8')
  const { bin, man, dependencies, peerDependencies } = JSON.parse(text)
  expect(bin).toEqual({ cdn: './dist/bin.js' })
  expect(files).toEqual(expect.arrayContaining(man.map((file: string) => join('package', file))))
  expect(JSON.stringify([dependencies, peerDependencies])).not.toContain('workspace:')
  expect(run(process.execPath, [join(out, 'package', bin.cdn), '--version'])).toBe('0.0.0\n')
  expect(run(process.execPath, [join(out, 'package', bin.cdn), 'pull-zone', '--help'])).toContain(
    'add-allowed-referrer',
  )
})

test('every bundled package has its licence text in the bundle', () => {
  const licences = readFileSync(join(folder, 'dist/LICENSES.txt'), 'utf8')
  for (const name of ['ajv', 'get-east-asian-width']) {
    expect(licences).toMatch(new RegExp(`^${name}\\n`, 'm'))
  }
})
