import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repository } from '../copy-repository.ts'

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: object
  readonly 'timeout-minutes'?: number
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

const folder = join(repository, '.github/workflows')
const files = readdirSync(folder)
const { scripts, packageManager }: { scripts: object; packageManager: string } = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
)

test.each(files)('%s pins its actions, and no job has more permissions than it needs', (file) => {
  const text = readFileSync(join(folder, file), 'utf8')
  const { permissions, jobs }: { permissions: object; jobs: Record<string, Job> } = parse(text)
  expect(permissions).toEqual({})
  for (const [name, job] of Object.entries(jobs)) {
    expect(job.permissions, name).toBeDefined()
    expect(job['timeout-minutes'], name).toBeGreaterThan(0)
  }
  for (const [, action] of text.matchAll(/uses: (.+)/g)) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/)
  // Text from other people is passed to a shell as a variable, never as part of the script.
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  expect(runs.filter((run) => /\$\{\{ (?!matrix\.)/.test(run))).toEqual([])
  const named = runs.flatMap((run) =>
    [...run.matchAll(/pnpm@[\d.]+ (?:-s )?([\w:]+)/g)].map(([, script]) => assertDefined(script)),
  )
  expect(named.filter((script) => !['install', 'audit'].includes(script) && !(script in scripts))).toEqual([])
})

test('CI tests each tarball alone on the oldest Node that its package supports', () => {
  const ci: { jobs: { tarballs: { strategy: { matrix: { include: { node: string; package: string }[] } } } } } = parse(
    readFileSync(join(folder, 'ci.yml'), 'utf8'),
  )
  const tried = ci.jobs.tarballs.strategy.matrix.include.map((each) => `${each.package} ${each.node}`)
  for (const path of ['packages/api', 'packages/emulator', 'packages/conformance', 'apps/cli', 'apps/logs-exporter']) {
    const { engines }: { engines: { node: string } } = JSON.parse(
      readFileSync(join(repository, path, 'package.json'), 'utf8'),
    )
    expect(tried, path).toContain(`${basename(path)} ${engines.node.replace('>=', '')}.0`)
  }
})

test('a release packs in a job that runs no test and no script of a dependency', () => {
  const { jobs }: { jobs: Record<string, Job> } = parse(readFileSync(join(folder, 'release.yml'), 'utf8'))
  const [install, pack, ...more] = assertDefined(jobs['pack']).steps.flatMap(({ run }) => run ?? [])
  expect(install).toMatch(/pnpm@[\d.]+ install --frozen-lockfile --ignore-scripts /)
  expect(pack).toMatch(/pnpm@[\d.]+ tarballs$/)
  expect(more).toEqual([])
  expect(assertDefined(jobs['publish']).needs).toEqual(expect.arrayContaining(['test', 'pack']))
})

test('the nightly check takes its state only from runs that the repository itself started', () => {
  expect(readFileSync(join(folder, 'nightly.yml'), 'utf8')).toMatch(
    /head_branch == \$repository\.default_branch\s+and \.workflow_run\.head_repository_id == \$repository\.id/,
  )
})

test('all places name the pinned pnpm, and corepack can compare its hash', () => {
  const [, version] = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager) ?? []
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  expect(new Set([...texts.matchAll(/pnpm@([\d.]+)/g)].map(([, named]) => named))).toEqual(new Set([version]))
})
