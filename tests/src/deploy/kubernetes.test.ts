import type { Config } from '@cdn/logs-exporter/src/config/config.ts'
import { parseConfig } from '@cdn/logs-exporter/src/config/read-config.ts'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { read } from './repository.ts'

const models = { StatefulSet, Service, PodDisruptionBudget }

describe.each(['one', 'fleet'])('kubernetes/%s', (kind) => {
  const folder = `deploy/kubernetes/${kind}`
  const kustomization = parse(read(`${folder}/kustomization.yaml`))
  const manifests = (kustomization.resources as string[]).map((name) => parse(read(`${folder}/${name}`)))
  const set = manifests.find((manifest) => manifest.kind === 'StatefulSet')
  const pod = set.spec.template.spec
  const [container] = pod.containers
  const config = parseConfig(read(`${folder}/config.yaml`), 'config.yaml', {})
  const mounted = (name: string) =>
    container.volumeMounts.find((mount: { name: string }) => mount.name === name).mountPath

  test.each(manifests.map((manifest) => [manifest.kind as keyof typeof models, manifest]))(
    '%s is valid by the types of the Kubernetes interface, and has no property that they do not know',
    (model, manifest) => {
      new models[model](manifest).validate()
      for (const path of properties(manifest)) {
        // What the interface knows it also judges: it must refuse a value that nothing can have.
        expect(() => new models[model](replaced(manifest, path)).validate(), path.join('.')).toThrow()
      }
    },
  )

  test('what selects the pods finds them', () => {
    const { labels } = set.spec.template.metadata
    for (const { spec } of manifests) expect(labels).toMatchObject(spec.selector.matchLabels ?? spec.selector)
    expect(set.spec.serviceName).toBe(manifests.find((manifest) => manifest.kind === 'Service').metadata.name)
  })

  test('the configuration is where the command looks for it', () => {
    expect(kustomization.configMapGenerator[0]).toEqual({ name: 'cdn-logs-exporter', files: ['config.yaml'] })
    expect(pod.volumes).toContainEqual({ name: 'config', configMap: { name: 'cdn-logs-exporter' } })
    expect(container.args).toEqual(['run', '--config', `${mounted('config')}/config.yaml`])
  })

  test('probes and scrapes go to the port that the exporter listens on', () => {
    expect(container.ports).toEqual([{ name: 'metrics', containerPort: config.listen.port }])
    expect(config.listen.host).toBe('0.0.0.0')
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'metrics' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' })
    expect(set.spec.template.metadata.annotations['prometheus.io/port']).toBe(String(config.listen.port))
  })

  test('all that is written lies on the disk, all secrets in the mounted secret', () => {
    const paths = [config.ledger, ...(config.sink.type === 'files' ? [config.sink.path] : [])]
    for (const path of paths) expect(`${path}/`).toContain(`${mounted('state')}/`)
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
    expect(secretFiles(config)).not.toEqual([])
    for (const file of secretFiles(config)) expect(file.startsWith(`${mounted('secrets')}/`)).toBe(true)
  })

  test('the secret is made as the description says', () => {
    const command = read('deploy/README.md').replaceAll('\\\n', '')
    for (const file of secretFiles(config)) expect(command).toContain(`--from-file=${file.split('/').at(-1)}`)
  })

  test('it runs as the user of the image, which is not root', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 })
    expect(read('deploy/Dockerfile')).toMatch(/^USER 1000:1000$/m)
    const secrets = pod.volumes.find((volume: { name: string }) => volume.name === 'secrets')
    expect(secrets.secret.defaultMode).toBe(0o440)
  })
})

test('one exporter is one, with the ledger on its disk; a fleet shares by a database and writes where all can', () => {
  const one = parse(read('deploy/kubernetes/one/stateful-set.yaml'))
  const fleet = parse(read('deploy/kubernetes/fleet/stateful-set.yaml'))
  const [alone, shared] = ['one', 'fleet'].map((kind) =>
    parseConfig(read(`deploy/kubernetes/${kind}/config.yaml`), kind, {}),
  )
  expect([one.spec.replicas, alone?.fleet]).toEqual([1, undefined])
  expect(fleet.spec.replicas).toBeGreaterThan(1)
  expect(shared?.fleet).toBeDefined()
  expect(shared?.sink.type).toBe('s3')
})

/** The paths of all `{file: PATH}` in a configuration. */
function secretFiles(config: Config): string[] {
  const found: string[] = []
  JSON.stringify(config, (key, value) => {
    if (key === 'file') found.push(value)
    return value
  })
  return found
}

/** Properties whose own properties have free names. */
const free = new Set(['labels', 'matchLabels', 'annotations', 'selector', 'requests', 'limits'])

/** The paths of all properties of a manifest. */
function properties(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key]
    return [here, ...(free.has(key) && !('matchLabels' in Object(inner)) ? [] : properties(inner, here))]
  })
}

function replaced(value: unknown, [key = '', ...rest]: readonly string[]): never {
  const copy: Record<string, unknown> = Array.isArray(value) ? Object.assign([], value) : { ...Object(value) }
  copy[key] = rest.length > 0 ? replaced(copy[key], rest) : Symbol('no value')
  return copy as never
}
