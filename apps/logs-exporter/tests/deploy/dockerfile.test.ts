import { expect, test } from 'vitest'
import { defaults } from '../support/reader.ts'
import { read } from './repository.ts'

test('the image has the Node of the repository, the tarball alone, and the port of the exporter', () => {
  const dockerfile = read('deploy/Dockerfile')
  const { optionalDependencies } = JSON.parse(read('package.json'))
  expect(dockerfile).toContain(`FROM node:${optionalDependencies.node}-slim`)
  const [, tarball] = /^COPY (\S+)/m.exec(dockerfile) ?? []
  expect(read('deploy/Dockerfile.dockerignore')).toBe(`*\n!${tarball}\n`)
  const { bin } = JSON.parse(read('apps/logs-exporter/package.json'))
  expect(dockerfile).toContain(`ENTRYPOINT ${JSON.stringify(Object.keys(bin))}`)
  expect(dockerfile).toContain(`http://127.0.0.1:${defaults.listen.port}/livez`)
})
