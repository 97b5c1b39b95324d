import { basename } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { defaults } from '../support/reader.ts'
import { read } from './repository.ts'

const dockerfile = read('deploy/Dockerfile')
const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')
const all = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))

test('the parser of the Docker extension finds no error, and detects a wrong line', () => {
  expect(validate(dockerfile)).toEqual([])
  expect(validate(dockerfile.replace('WORKDIR /app', 'WORKDIRS /app'))).not.toEqual([])
})

test('the runtime has the version of the repository, and the image holds the tarball alone', () => {
  const { dependencies } = JSON.parse(read('package.json'))
  expect(all('FROM')).toEqual([`node:${dependencies.node}-slim`])
  const [copied = ''] = all('COPY').map((copy) => copy.split(' ')[0])
  expect(all('COPY')).toHaveLength(1)
  expect(read('deploy/Dockerfile.dockerignore')).toBe(`*\n!${copied}\n`)
  expect(all('RUN')[0]).toContain(`npm install --global --offline /tmp/${basename(copied)} `)
  // `pnpm pack` names a tarball after its package.
  const { name }: { name: string } = JSON.parse(read('apps/logs-exporter/package.json'))
  expect(copied).toBe(`dist/tarballs/${name.replace('@', '').replace('/', '-')}-*.tgz`)
})

test('it starts the exporter without a shell, with the port that it listens on by default', () => {
  const { bin } = JSON.parse(read('apps/logs-exporter/package.json'))
  expect(all('ENTRYPOINT')).toEqual([JSON.stringify(Object.keys(bin))])
  expect(all('EXPOSE')).toEqual([String(defaults.listen.port)])
  expect(all('HEALTHCHECK')[0]).toContain(`http://127.0.0.1:${defaults.listen.port}/livez`)
})
