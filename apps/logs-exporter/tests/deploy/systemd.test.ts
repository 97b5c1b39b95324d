import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exporterExitCodes } from '../../src/cli/exit-codes.ts'
import { parseCommand } from '../../src/cli/options.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import { read, root } from './repository.ts'

const unitName = 'cdn-logs-exporter.service'
const templateName = 'cdn-logs-exporter@.service'
const unit = read(`deploy/systemd/${unitName}`)
const template = read(`deploy/systemd/${templateName}`)
const setting = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
const [script = '', ...args] = setting('ExecStart').split(' ')
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasAnalyze)('systemd-analyze finds no error (skipped if systemd is not installed)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-unit-'))
  try {
    const judge = async (text: string, name = unitName) => {
      await writeFile(join(folder, name), text)
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
        encoding: 'utf8',
      })
      return { status, stderr }
    }
    // systemd checks that the command exists, and this machine has no /opt/cdn-toolkit.
    const shards = template.replaceAll('/opt/cdn-toolkit', root)
    expect(await judge(shards, templateName.replace('@', '@0'))).toEqual({ status: 0, stderr: '' })
    const here = unit.replaceAll('/opt/cdn-toolkit', root)
    expect(await judge(here)).toEqual({ status: 0, stderr: '' })
    expect((await judge(here.replace('Restart=on-failure', 'Restarts=on-failure'))).stderr).toContain('Restarts')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the command is known to the exporter, and its files exist', () => {
  expect(parseCommand(args)).toMatchObject({ name: 'run', config: '/etc/cdn-logs-exporter/config.yaml' })
  expect(() => accessSync(join(root, script.replace('/opt/cdn-toolkit/', '')), constants.X_OK)).not.toThrow()
  expect(setting('Environment')).toMatch(/^PATH=\/opt\/cdn-toolkit\/node_modules\/\.bin:/)
})

test('the unit handles the exit codes of the exporter', () => {
  expect(setting('SuccessExitStatus')).toBe(String(exporterExitCodes.interrupted))
  expect(setting('RestartPreventExitStatus')).toBe(`${exporterExitCodes.configuration} ${exporterExitCodes.refused}`)
})

test('the example configuration reads the credential that the unit loads, and writes to a permitted path', () => {
  const config = parseConfig(read('deploy/systemd/config.yaml'), 'config.yaml', {})
  const [credential] = setting('LoadCredential').split(':')
  expect(config.credential).toEqual({ accessKey: { file: `/run/credentials/${unitName}/${credential}` } })
  expect(setting('WorkingDirectory')).toBe(`/var/lib/${setting('StateDirectory')}`)
  expect([config.ledger, config.sink.type === 'files' && config.sink.path]).toEqual(['./state', './logs'])
})

test('the template starts one shard, and otherwise equals the unit', () => {
  const line = (text: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const [, ...args] = line(template, 'ExecStart')
    .replaceAll('%i', '3')
    .replace(/\$\{SHARDS\}/, '4')
    .split(' ')
  expect(parseCommand(args)).toEqual({
    name: 'run',
    config: '/etc/cdn-logs-exporter/config.yaml',
    shard: { index: 3, of: 4 },
    listen: { host: '127.0.0.1', port: 9463 },
  })
  const variables = read('deploy/systemd/environment')
    .split('\n')
    .map((each) => each.split('=')[0])
  expect(variables).toEqual(['CDN_ACCESS_KEY', 'SHARDS', ''])
  const specific = /^(#.*|ExecStart|Description|LoadCredential|EnvironmentFile|User)(=.*)?$/
  const rest = (text: string) => text.split('\n').filter((each) => !specific.test(each.replace(/=.*/, '')))
  expect(rest(template)).toEqual(rest(unit))
  expect(parseConfig(read('deploy/systemd/config-shards.yaml'), 'config.yaml', {}).credential).toEqual({
    accessKey: { env: 'CDN_ACCESS_KEY' },
  })
})
