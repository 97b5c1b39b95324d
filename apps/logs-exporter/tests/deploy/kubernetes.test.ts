import { StatefulSet } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCommand } from '../../src/cli/options.ts'
import type { Config } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import { read } from './repository.ts'

const models = { StatefulSet, Job, Service, PodDisruptionBudget }

describe.each(['one', 'shards', 'backfill'])('kubernetes/%s', (kind) => {
  const folder = `deploy/kubernetes/${kind}`
  const kustomization: { resources: string[]; configMapGenerator: unknown[] } = parse(
    read(`${folder}/kustomization.yaml`),
  )
  const manifests = kustomization.resources.map((name) => parse(read(`${folder}/${name}`)))
  const set = manifests.find((manifest) => manifest.kind === 'StatefulSet' || manifest.kind === 'Job')
  const isDaemon = set.kind === 'StatefulSet'
  const pod = set.spec.template.spec
  const [container] = pod.containers
  const config = parseConfig(read(`${folder}/config.yaml`), 'config.yaml', {})
  const mounted = (name: string) =>
    container.volumeMounts.find((mount: { name: string }) => mount.name === name).mountPath

  test('the manifests are valid by the types of the Kubernetes API', () => {
    for (const manifest of manifests) new models[manifest.kind as keyof typeof models](manifest).validate()
  })

  test.runIf(isDaemon)('the selectors match the pods', () => {
    const { labels } = set.spec.template.metadata
    for (const { spec } of manifests) expect(labels).toMatchObject(spec.selector.matchLabels ?? spec.selector)
    expect(set.spec.serviceName).toBe(manifests.find((manifest) => manifest.kind === 'Service').metadata.name)
  })

  test('the configuration is at the path of the command', async () => {
    expect(kustomization.configMapGenerator[0]).toEqual({ name: 'cdn-logs-exporter', files: ['config.yaml'] })
    expect(pod.volumes).toContainEqual({ name: 'config', configMap: { name: 'cdn-logs-exporter' } })
    // Expands variables as Kubernetes does.
    const args = container.args.map((arg: string) =>
      arg.replace(/\$\((.*?)\)/g, (_, name) => (name === 'SHARDS' ? '4' : '0')),
    )
    expect(await parseCommand(args, {}, () => {})).toMatchObject({
      name: isDaemon ? 'run' : 'backfill',
      config: `${mounted('config')}/config.yaml`,
    })
  })

  test.runIf(isDaemon)('probes and scrapes use the port of the exporter', () => {
    expect(container.ports).toEqual([{ name: 'metrics', containerPort: config.listen.port }])
    expect(config.listen.host).toBe('0.0.0.0')
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'metrics' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' })
    expect(set.spec.template.metadata.annotations['prometheus.io/port']).toBe(String(config.listen.port))
  })

  test('all written files are on the disk, all secrets in the mounted secret', () => {
    const paths = [config.ledger, ...(config.sink.type === 'files' ? [config.sink.path] : [])]
    for (const path of paths) expect(`${path}/`).toContain(`${mounted('state')}/`)
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
    if (config.sink.type === 's3') expect(mounted('temporary')).toBe('/tmp')
    expect(secretFiles(config)).not.toEqual([])
    for (const file of secretFiles(config)) expect(file.startsWith(`${mounted('secrets')}/`)).toBe(true)
  })

  test('the command of the README creates a secret with every file', () => {
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

test('the single exporter has one replica; shards write to a shared sink, and one setting has their number', () => {
  const one = parse(read('deploy/kubernetes/one/stateful-set.yaml'))
  const shards = parse(read('deploy/kubernetes/shards/stateful-set.yaml'))
  expect(one.spec.replicas).toBe(1)
  const [container] = shards.spec.template.spec.containers
  const of = container.env.find(({ name }: { name: string }) => name === 'SHARDS')
  expect(shards.spec.replicas).toBeGreaterThan(1)
  expect(of.value).toBe(String(shards.spec.replicas))
  expect(container.args.at(-1)).toBe('$(POD_INDEX)/$(SHARDS)')
  const [{ source, targets }] = parse(read('deploy/kubernetes/shards/kustomization.yaml')).replacements
  expect([source.kind, source.name, source.fieldPath]).toEqual(['StatefulSet', shards.metadata.name, 'spec.replicas'])
  expect(targets[0].fieldPaths).toEqual([
    `spec.template.spec.containers.[name=${container.name}].env.[name=${of.name}].value`,
  ])
  expect(parseConfig(read('deploy/kubernetes/shards/config.yaml'), 'config.yaml', {}).sink.type).toBe('s3')
})

test('a job has as many shards as pods', () => {
  const { spec } = parse(read('deploy/kubernetes/backfill/job.yaml'))
  expect(spec.completionMode).toBe('Indexed')
  expect(spec.template.spec.containers[0].args).toContain(`$(JOB_COMPLETION_INDEX)/${spec.completions}`)
})

/** The paths of all `{file: PATH}` in a configuration. */
function secretFiles(config: Config): string[] {
  const paths: string[] = []
  JSON.stringify(config, (key, value) => {
    if (key === 'file') paths.push(value)
    return value
  })
  return paths
}
