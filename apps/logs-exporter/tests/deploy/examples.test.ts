/** The examples of `deploy/`: the configurations and commands are read by the exporter, the manifests by the types of the Kubernetes API. */
import { spawnSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { exporterExitCodes } from '../../src/cli/exit-codes.ts'
import { parseCommand } from '../../src/cli/options.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import { read, root } from './repository.ts'

const models = { StatefulSet, Job, Service, PodDisruptionBudget }

describe.each(['one', 'shards', 'backfill'])('kubernetes/%s', (kind) => {
  const folder = `deploy/kubernetes/${kind}`
  const { resources }: { resources: string[] } = parse(read(`${folder}/kustomization.yaml`))
  const manifests = resources.map((name) => parse(read(`${folder}/${name}`)))
  const set = manifests.find((manifest) => manifest.kind === 'StatefulSet' || manifest.kind === 'Job')
  const [container] = set.spec.template.spec.containers
  const config = parseConfig(read(`${folder}/config.yaml`), 'config.yaml', {})
  const mounted = (name: string) =>
    container.volumeMounts.find((mount: { name: string }) => mount.name === name).mountPath

  test('the manifests are valid, and select the pods', () => {
    for (const manifest of manifests) {
      new models[manifest.kind as keyof typeof models](manifest).validate()
      const { selector } = manifest.spec
      if (selector) expect(set.spec.template.metadata.labels).toMatchObject(selector.matchLabels ?? selector)
    }
  })

  test('the command reads the mounted configuration, which has files on the disk and mounted secrets', async () => {
    // Expands variables as Kubernetes does.
    const args = container.args.map((arg: string) =>
      arg.replace(/\$\((.*?)\)/g, (_, name) => (name === 'SHARDS' ? '4' : '0')),
    )
    expect(await parseCommand(args, {}, () => {})).toMatchObject({ config: `${mounted('config')}/config.yaml` })
    const paths = [config.ledger, ...(config.sink.type === 'files' ? [config.sink.path] : [])]
    for (const path of paths) expect(`${path}/`).toContain(`${mounted('state')}/`)
    const secrets = [...JSON.stringify(config).matchAll(/"file":"(.*?)"/g)].map(([, file]) => file)
    expect(secrets).not.toEqual([])
    for (const file of secrets) expect(file).toMatch(`${mounted('secrets')}/`)
    for (const { containerPort } of container.ports ?? []) expect(containerPort).toBe(config.listen.port)
  })
})

const unitName = 'cdn-logs-exporter.service'
const templateName = 'cdn-logs-exporter@.service'
const unit = read(`deploy/systemd/${unitName}`)
const template = read(`deploy/systemd/${templateName}`)
const setting = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
const [program = '', ...args] = setting('ExecStart').split(' ')
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasAnalyze)('systemd-analyze finds no error (skipped if systemd is not installed)', async () => {
  const folder = temporaryFolder(onTestFinished)
  // systemd checks that the command exists, and the exporter is not installed on this machine. A unit separates words by spaces.
  await symlink(join(root, 'apps/logs-exporter/src/bin.ts'), join(folder, 'exporter'))
  for (const [name, text] of [
    [templateName.replace('@', '@10'), template],
    [unitName, unit],
  ] as const) {
    await writeFile(join(folder, name), text.replaceAll(program, join(folder, 'exporter')))
    const judged = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], { encoding: 'utf8' })
    expect(judged).toMatchObject({ status: 0, stderr: '' })
  }
})

test('the unit starts the exporter where the documented installation puts it, and does not restart final failures', async () => {
  expect(await parseCommand(args, {}, () => {})).toMatchObject({ name: 'run' })
  const [, prefix] = /^npm install --global --prefix (\S+) cdn-logs-exporter-/m.exec(read('docs/exporter.md')) ?? []
  expect(program).toBe(`${prefix}/bin/cdn-logs-exporter`)
  expect(setting('RestartPreventExitStatus')).toBe(`${exporterExitCodes.configuration} ${exporterExitCodes.refused}`)
  const { credential } = parseConfig(read('deploy/systemd/config.yaml'), 'config.yaml', {})
  const [loaded] = setting('LoadCredential').split(':')
  expect(credential).toEqual({ accessKey: { file: `/run/credentials/${unitName}/${loaded}` } })
})

test.each([0, 3, 10, 120])('the template starts shard %i, with a port of its own', async (instance) => {
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(template) ?? []
  // Expands instance and variables as systemd does, and prints the arguments instead of starting the exporter.
  const script = command
    .replaceAll('%i', String(instance))
    .replace(/\$\{SHARDS\}/, '200')
    .replaceAll('$$', '$')
  const printed = script.replace(`exec ${program}`, 'sh -c \'echo "$PORT $@"\' sh')
  const { stdout } = spawnSync('/bin/sh', ['-c', printed], { encoding: 'utf8' })
  const [port = '', ...args] = stdout.trim().split(' ')
  expect(await parseCommand(args, {}, () => {})).toMatchObject({ name: 'run', shard: { index: instance, of: 200 } })
  const config = parseConfig(read('deploy/systemd/config-shards.yaml'), 'config.yaml', { PORT: port })
  expect(config.listen.port).toBe(9464 + instance)
})
