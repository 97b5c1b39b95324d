import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes } from '@cdn/logs-exporter/src/cli/exit-codes.ts'
import { parseCommand } from '@cdn/logs-exporter/src/cli/options.ts'
import { parseConfig } from '@cdn/logs-exporter/src/config/read-config.ts'
import { expect, test } from 'vitest'
import { read, root } from './repository.ts'

const name = 'cdn-logs-exporter.service'
const unit = read(`deploy/systemd/${name}`)
const setting = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
const [script = '', ...args] = setting('ExecStart').split(' ')
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasAnalyze)('systemd-analyze finds nothing wrong (skipped where systemd is not installed)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-unit-'))
  try {
    const judge = async (text: string) => {
      await writeFile(join(folder, name), text)
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
        encoding: 'utf8',
      })
      return { status, stderr }
    }
    // The machine has no /opt/cdn-toolkit, and the command has to be there.
    const here = unit.replaceAll('/opt/cdn-toolkit', root)
    expect(await judge(here)).toEqual({ status: 0, stderr: '' })
    expect((await judge(here.replace('Restart=on-failure', 'Restarts=on-failure'))).stderr).toContain('Restarts')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the command is one that the exporter knows, of files that are there', () => {
  expect(parseCommand(args)).toEqual({ name: 'run', config: '/etc/cdn-logs-exporter/config.yaml' })
  expect(() => accessSync(join(root, script.replace('/opt/cdn-toolkit/', '')), constants.X_OK)).not.toThrow()
  expect(setting('Environment')).toMatch(/^PATH=\/opt\/cdn-toolkit\/node_modules\/\.bin:/)
})

test('exit codes mean what they mean', () => {
  expect(setting('SuccessExitStatus')).toBe(String(exitCodes.interrupted))
  expect(setting('RestartPreventExitStatus')).toBe(`${exitCodes.configuration} ${exitCodes.refused}`)
})

test('the example of a configuration reads the credential that the unit loads, and writes where it may', () => {
  const config = parseConfig(read('deploy/systemd/config.yaml'), 'config.yaml', {})
  const [credential] = setting('LoadCredential').split(':')
  expect(config.credential).toEqual({ accessKey: { file: `/run/credentials/${name}/${credential}` } })
  expect(setting('WorkingDirectory')).toBe(`/var/lib/${setting('StateDirectory')}`)
  expect([config.ledger, config.sink.type === 'files' && config.sink.path]).toEqual(['./state', './logs'])
})
