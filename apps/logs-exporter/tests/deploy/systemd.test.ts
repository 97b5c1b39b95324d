import { spawnSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { exporterExitCodes } from '../../src/cli/context.ts'
import { parseCommand } from '../../src/cli/options.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import { read, root } from './repository.ts'

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
  const here = (text: string) => text.replaceAll(program, join(folder, 'exporter'))
  const judge = async (text: string, name = unitName) => {
    await writeFile(join(folder, name), text)
    const args = ['verify', '--man=no', join(folder, name)]
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    return { status, stderr }
  }
  expect(await judge(here(template), templateName.replace('@', '@10'))).toEqual({ status: 0, stderr: '' })
  expect(await judge(here(unit))).toEqual({ status: 0, stderr: '' })
  expect((await judge(here(unit).replace('Restart=on-failure', 'Restarts=on-failure'))).stderr).toContain('Restarts')
})

test('the command is known to the exporter, and is where the documented installation puts it', async () => {
  expect(await parseCommand(args, {}, () => {})).toMatchObject({
    name: 'run',
    config: '/etc/cdn-logs-exporter/config.yaml',
  })
  const { bin } = JSON.parse(read('apps/logs-exporter/package.json'))
  const [, prefix] = /^npm install --global --prefix (\S+) cdn-logs-exporter-/m.exec(read('docs/exporter.md')) ?? []
  expect(program).toBe(`${prefix}/bin/${Object.keys(bin)[0]}`)
  expect(setting('Environment')).toMatch(new RegExp(`^PATH=${prefix}/bin:`))
})

test('the unit handles the exit codes of the exporter', () => {
  expect(setting('RestartPreventExitStatus')).toBe(`${exporterExitCodes.configuration} ${exporterExitCodes.refused}`)
})

test('the example configuration reads the credential that the unit loads, and writes to a permitted path', () => {
  const config = parseConfig(read('deploy/systemd/config.yaml'), 'config.yaml', {})
  const [credential] = setting('LoadCredential').split(':')
  expect(config.credential).toEqual({ accessKey: { file: `/run/credentials/${unitName}/${credential}` } })
  expect(setting('WorkingDirectory')).toBe(`/var/lib/${setting('StateDirectory')}`)
  expect([config.ledger, config.sink.type === 'files' && config.sink.path]).toEqual(['./state', './logs'])
})

test('the template starts one shard, and otherwise equals the unit', async () => {
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(template) ?? []
  for (const instance of [0, 3, 10, 120]) {
    // Expands instance and variables as systemd does, and prints the arguments instead of starting the exporter.
    const script = command
      .replaceAll('%i', String(instance))
      .replace(/\$\{SHARDS\}/, '200')
      .replaceAll('$$', '$')
    const printed = script.replace(`exec ${program}`, 'sh -c \'echo "$PORT $@"\' sh')
    const { stdout } = spawnSync('/bin/sh', ['-c', printed], { encoding: 'utf8' })
    const [port = '', ...args] = stdout.trim().split(' ')
    expect(await parseCommand(args, {}, () => {})).toEqual({
      name: 'run',
      once: false,
      config: '/etc/cdn-logs-exporter/config.yaml',
      shard: { index: instance, of: 200 },
    })
    const config = parseConfig(read('deploy/systemd/config-shards.yaml'), 'config.yaml', { PORT: port })
    expect(config).toMatchObject({
      credential: { accessKey: { env: 'CDN_ACCESS_KEY' } },
      listen: { host: '127.0.0.1', port: 9464 + instance },
    })
  }
  const variables = read('deploy/systemd/environment')
    .split('\n')
    .map((each) => each.split('=')[0])
  expect(variables).toEqual(['CDN_ACCESS_KEY', 'SHARDS', ''])
  const specific = /^(#.*|ExecStart|Description|LoadCredential|EnvironmentFile|User)(=.*)?$/
  const rest = (text: string) => text.split('\n').filter((each) => !specific.test(each.replace(/=.*/, '')))
  expect(rest(template)).toEqual(rest(unit))
})
