import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { defaults } from '../../src/config/defaults.ts'
import { read, root } from './repository.ts'

const dockerfile = read('deploy/Dockerfile')
const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')
const all = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))

test('the parser of the Docker extension finds no error, and detects a wrong line', () => {
  expect(validate(dockerfile)).toEqual([])
  expect(validate(dockerfile.replace('WORKDIR /app', 'WORKDIRS /app'))).not.toEqual([])
})

test('runtime and pnpm have the versions of the repository', () => {
  const { dependencies, packageManager } = JSON.parse(read('package.json'))
  for (const image of all('FROM')) expect(image).toMatch(new RegExp(`^node:${dependencies.node}-slim( AS install)?$`))
  expect(all('RUN')[0]).toContain(`npx --yes ${packageManager} install --frozen-lockfile --prod`)
})

test('copied files exist, are not ignored, and suffice for the exporter', () => {
  const sources = all('COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(/\s+/).slice(0, -1))
  const allowed = read('deploy/Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  expect(sources.map((path) => `!${path}`).toSorted()).toEqual(allowed.toSorted())
  for (const path of sources) expect(existsSync(join(root, path))).toBe(true)
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(read('apps/logs-exporter/package.json'))
  const workspace = Object.keys(dependencies).filter((name) => dependencies[name]?.startsWith('workspace:'))
  expect(workspace.map((name) => `packages/${name.replace('@cdn/', '')}/src`)).toEqual(
    sources.filter((path) => /^packages\/\w+\/src$/.test(path)),
  )
})

test('it starts the exporter without a shell, with the port that it listens on by default', () => {
  const [, path] = /^\["\/app\/(.*)"\]$/.exec(all('ENTRYPOINT')[0] ?? '') ?? []
  expect(() => accessSync(join(root, path ?? 'missing'), constants.X_OK)).not.toThrow()
  expect(all('EXPOSE')).toEqual([String(defaults.listen.port)])
  expect(all('HEALTHCHECK')[0]).toContain(`http://127.0.0.1:${defaults.listen.port}/livez`)
})
