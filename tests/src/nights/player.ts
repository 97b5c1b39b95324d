/** Plays a story of nights with real processes, and compares what each night leaves with the oracle. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '@cdn/kit/testing/listen'
import { dayMs } from '@cdn/kit/time'
import { parse } from 'yaml'
import { createOracle, type ExpectedNight, type Night, nameOf } from './oracle.ts'
import type { FaultName } from './platform.ts'

/** A story: `workflow` plays the steps of the workflow in a fresh folder each night, `cron` starts the program in one folder. */
export interface Story {
  readonly name: string
  readonly mode: 'workflow' | 'cron'
  readonly nights: readonly Night[]
}

const root = join(import.meta.dirname, '../../..')
const bin = join(root, 'packages/conformance/src/bin.ts')
const shift = join(import.meta.dirname, 'shift.cjs')
/** The requirements that each fault breaks. Checks of logs need a pause of ten seconds, so only a story with such a fault runs them. */
const requirementsOf: Readonly<Record<FaultName, readonly string[]>> = {
  delete: ['management.delete-watermark.204', 'management.delete-watermark.401'],
  lenient: ['management.delete-watermark.401'],
  add: ['management.add-allowed-referrer.2xx'],
  expired: ['logging.cache-status.values'],
}
const allow = 'write,destructive'

interface Ended {
  readonly code: number | null
  readonly output: string
}

async function ended(child: ChildProcess): Promise<Ended> {
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const [code, signal] = await once(child, 'close')
  return { code: signal === 'SIGKILL' ? 137 : code, output }
}

/**
 * Runs the suite once per night of a story, and compares what each night leaves with the oracle.
 *
 * @param folder an empty folder for all files
 * @param say called with one line per night
 * @returns the differences from the oracle, one text each
 */
export async function play(
  { mode, nights }: Pick<Story, 'mode' | 'nights'>,
  folder: string,
  say: (line: string) => void = () => {},
): Promise<string[]> {
  const differences: string[] = []
  const messages: string[] = []
  let isRefusing = false
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (!isRefusing) messages.push(JSON.parse(body).text)
    response.writeHead(isRefusing ? 400 : 200).end()
  })
  const webhook = await listen(receiver)
  // A server that takes connections and never answers.
  const silent = createTcpServer(() => {})
  const port = 20_000 + 2 * Math.floor(Math.random() * 10_000)
  const always: FaultName[] = ['delete', 'add']
  const shown = new Set(
    [...always, ...nights.flatMap(({ faults }) => faults)].flatMap((fault) => requirementsOf[fault]),
  )
  const oracle = createOracle(mode === 'cron')
  const hasName = nights.some(({ event }) => event === 'unknown-host')
  const state = join(folder, 'github')
  mkdirSync(join(state, 'artifacts'), { recursive: true })
  for (const [index, night] of nights.entries()) {
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      NODE_OPTIONS: `--require "${shift}"`,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
      SHIFT_MS: String(index * dayMs),
      CDN_WEBHOOK_URL: webhook,
      GH_STATE: state,
    }
    const platform = spawn(
      process.execPath,
      [join(import.meta.dirname, 'platform.ts'), String(port), JSON.stringify(night.faults)],
      {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let printed = ''
    platform.stdout.setEncoding('utf8').on('data', (chunk) => (printed += chunk))
    while (!printed.includes('\n')) await once(platform.stdout, 'data')
    const { managementUrl, loggingUrl, fixtures, env: credentials } = JSON.parse(printed.split('\n')[0] ?? '')
    // If one night has an unknown host, all nights use a host name, so that the target stays the same.
    const named = (url: string) => (hasName ? url.replace('127.0.0.1', 'localhost') : url)
    const urls = { CDN_MANAGEMENT_URL: named(managementUrl), CDN_LOGGING_URL: named(loggingUrl) }
    const run: Run = {
      only: [...shown].join(','),
      folder,
      index,
      night,
      env: { ...env, ...urls, ...credentials },
      fixtures,
    }
    if (night.event === 'wrong-key') run.env['CDN_ACCESS_KEY'] = 'wrong-key-of-this-night'
    if (night.event === 'unknown-host') run.env['NO_NAMES'] = '1'
    // A second run starts while the first one still waits for slow answers.
    const fault = { gateway: { name: 'bad-gateway' }, twice: { name: 'latency', ms: 1_000 } }[String(night.event)]
    if (fault) await fetch(new URL('/_emulator/faults', managementUrl), { method: 'POST', body: JSON.stringify(fault) })
    if (night.event === 'refused' || night.event === 'silent') {
      platform.kill()
      await once(platform, 'close')
    }
    if (night.event === 'silent') {
      silent.listen(port, '127.0.0.1')
      await once(silent, 'listening')
    }
    isRefusing = night.event === 'lost'
    messages.length = 0
    const left = mode === 'workflow' ? await playWorkflow(run) : await playCron(run)
    platform.kill()
    silent.close()
    const expected = oracle.next(night, printed.includes('exercised'), index)
    const found = compare(expected, { ...left, messages, issues: readIssues(state), night })
    differences.push(
      ...found.map(
        (one) => `night ${index + 1} (${[...night.faults, night.event ?? ''].join(' ')}): ${one}\n${left.output}`,
      ),
    )
    say(
      `night ${index + 1}: ${night.faults.join(' ') || '-'} ${night.event ?? ''} exit ${left.exit}, ${found.length === 0 ? 'as expected' : found.join('; ')}`,
    )
  }
  receiver.close()
  return differences
}

interface Run {
  readonly only: string
  readonly folder: string
  readonly index: number
  readonly night: Night
  readonly env: Record<string, string>
  readonly fixtures: object
}

/** What a night left, as a user sees it. */
interface Left {
  readonly exit: number | null | undefined
  readonly status: number | null | undefined
  readonly output: string
  /** The pages of the run and across nights; undefined if there is none. */
  readonly page: string | undefined
  readonly nights: string | undefined
  readonly problems: readonly string[]
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

/** Writes the program `gh` of a night. */
function install(bins: string): void {
  mkdirSync(bins, { recursive: true })
  script(join(bins, 'gh'), `exec "${process.execPath}" "${join(import.meta.dirname, 'gh-stand-in.ts')}" "$@"`)
}

async function playWorkflow({ only, folder, index, night, env, fixtures }: Run): Promise<Left> {
  const artifacts = join(env['GH_STATE'] ?? '', 'artifacts')
  if (night.event === 'forgotten') rmSync(artifacts, { recursive: true })
  if (night.event === 'cancelled')
    return { exit: undefined, status: undefined, output: '', page: undefined, nights: undefined, problems: [] }
  install(join(folder, 'bin'))
  const workspace = join(folder, `night-${index}`)
  const suite = join(workspace, '.suite')
  mkdirSync(join(suite, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(root, 'packages'), join(suite, 'packages'))
  const killing =
    night.event === 'killed'
      ? `"${process.execPath}" "$@" --only ${only} & sleep 3; kill -9 $!; wait $!; exit $?`
      : `exec "${process.execPath}" "$@" --only ${only}`
  script(
    join(suite, 'node_modules/.bin/node'),
    `case "$2" in run) ${killing};; *) exec "${process.execPath}" "$@";; esac`,
  )
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/nightly.yml'), 'utf8'))
  const steps: readonly { readonly name?: string; readonly run?: string }[] = jobs.conformance.steps
  const job = {
    ...{
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'o/r',
      GITHUB_SERVER_URL: 'https://github.invalid',
      GITHUB_RUN_ID: String(index),
    },
    ...{
      CDN_FIXTURES: 'fixtures.json',
      CDN_FIXTURES_JSON: JSON.stringify(fixtures),
      ALLOW: allow,
      REQUIRE: '',
      FIXTURE_CREDENTIALS: '',
    },
  }
  const outputs: string[] = []
  const problems: string[] = []
  let exit: number | null | undefined
  for (const name of [
    'Fetch what the last night left',
    'Write the fixtures file',
    'Run the suite',
    'Open and close issues',
  ]) {
    const text = steps.find((step) => step.name === name)?.run ?? 'exit 99'
    const { code, output } = await ended(spawn('bash', ['-e', '-c', text], { cwd: workspace, env: { ...env, ...job } }))
    outputs.push(`${name}: exit ${code}\n${output}`)
    if (name === 'Run the suite') exit = code
    else if (code !== 0) problems.push(`${name} ended with ${code}`)
  }
  const reports = join(workspace, 'reports')
  const memory = join(reports, 'live.jsonl')
  const kept = join(artifacts, String(index).padStart(2, '0'))
  if (existsSync(memory)) {
    mkdirSync(kept, { recursive: true })
    cpSync(memory, join(kept, 'live.jsonl'))
  }
  const left = await statusAndPages(workspace, env)
  return { ...left, exit, output: outputs.join('\n'), problems }
}

async function playCron({ only, folder, night, env, fixtures }: Run): Promise<Left> {
  install(join(folder, 'bin'))
  const home = join(folder, 'home')
  const reports = join(home, 'reports')
  mkdirSync(reports, { recursive: true })
  if (night.event === 'forgotten') rmSync(join(reports, 'live.jsonl'))
  writeFileSync(join(home, 'fixtures.json'), JSON.stringify(fixtures))
  const args = [
    bin,
    'run',
    '--target',
    'live',
    '--fixtures',
    'fixtures.json',
    '--allow',
    allow,
    '--only',
    only,
    '--webhook',
    'env:CDN_WEBHOOK_URL',
  ]
  const start = () => spawn(process.execPath, args, { cwd: home, env })
  const problems: string[] = []
  const fill = join(reports, 'fill')
  if (night.event === 'full') mountFull(reports, fill)
  const first = start()
  const running = ended(first)
  if (night.event === 'killed' || night.event === 'twice') await untilRunning(reports)
  if (night.event === 'killed') first.kill('SIGKILL')
  if (night.event === 'twice') {
    const { code, output } = await ended(start())
    if (code !== 2 || !/^conformance: Another run \(pid \d+, since .* UTC\) uses the reports/.test(output))
      problems.push(`the second run ended with ${code}: ${output}`)
  }
  const { code: exit, output } = await running
  if (night.event === 'full') unmountFull(reports)
  const [issues, left] = await Promise.all([
    ended(spawn(process.execPath, [bin, 'issues'], { cwd: home, env })),
    statusAndPages(home, env),
  ])
  if (issues.code !== 0) problems.push(`issues ended with ${issues.code}`)
  return { ...left, exit, output: `${output}\n${issues.output}`, problems }
}

/** Waits until a run has written its page: it then sends requests. */
async function untilRunning(reports: string): Promise<void> {
  const file = join(reports, 'live/index.html')
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('was running')) await sleep(20)
}

/** Moves the reports to a small file system, and fills it. */
function mountFull(reports: string, fill: string): void {
  const copy = `${reports}.copy`
  cpSync(reports, copy, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', reports])
  cpSync(copy, reports, { recursive: true })
  try {
    writeFileSync(fill, Buffer.alloc(2 ** 23))
  } catch {
    // The disk is full now.
  }
}

function unmountFull(reports: string): void {
  const copy = `${reports}.copy`
  rmSync(copy, { recursive: true })
  rmSync(join(reports, 'fill'), { force: true })
  cpSync(reports, copy, { recursive: true })
  execFileSync('umount', [reports])
  cpSync(copy, reports, { recursive: true })
  rmSync(copy, { recursive: true })
}

async function statusAndPages(cwd: string, env: Record<string, string>) {
  const { code: status } = await ended(spawn(process.execPath, [bin, 'status'], { cwd, env }))
  const read = (name: string) => {
    const file = join(cwd, 'reports/live', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
  return { status, page: read('index.html'), nights: read('nights.html') }
}

interface Issue {
  readonly title: string
  readonly state: 'OPEN' | 'CLOSED'
  readonly labels: readonly { readonly name: string }[]
  readonly body: string
}

function readIssues(state: string): readonly Issue[] {
  const file = join(state, 'issues.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

const plain = (text: string) =>
  text.replaceAll('\u2060', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
const names = Object.keys(nameOf) as FaultName[]
const faultsIn = (texts: readonly string[]) =>
  names.filter((name) => texts.some((text) => nameOf[name].test(plain(text)))).sort()

interface Found extends Left {
  readonly messages: readonly string[]
  readonly issues: readonly Issue[]
  readonly night: Night
}

function compare(
  expected: ExpectedNight,
  { exit, status, messages, issues, page, nights, problems, night }: Found,
): string[] {
  const found = [...problems]
  const differ = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      found.push(`${what}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`)
  }
  if (expected.exit !== undefined) differ('exit code', exit, expected.exit)
  if (status !== undefined) differ('status', status, expected.status)
  differ('number of messages', messages.length, expected.message ? 1 : 0)
  const lines = plain(messages[0] ?? '').split('\n')
  for (const part of expected.message ?? [])
    if (!lines.some((line) => new RegExp(part).test(line)))
      found.push(`the message lacks ${part}: ${lines.join(' / ')}`)
  const told = (fault: FaultName) =>
    lines.filter((line) => /^• (New|Fixed|Still)/.test(line) && nameOf[fault].test(line))
  for (const fault of expected.untold)
    if (told(fault).length > 0) found.push(`the message says ${told(fault).join(' / ')}`)
  const tellsOf = (kind: string) => faultsIn(lines.filter((line) => line.startsWith(`• ${kind}: `)))
  for (const kind of ['New', 'Fixed', 'Still'])
    if (expected.message) {
      const wanted = names.filter((name) => expected.message?.includes(`${kind}: ${nameOf[name].source}`)).sort()
      differ(`${kind} in the message`, tellsOf(kind), wanted)
    }
  const of = (state: Issue['state']) => issues.filter((issue) => issue.state === state).map(({ title }) => title)
  differ('open issues', faultsIn(of('OPEN')), [...expected.open].sort())
  differ(
    'closed issues',
    faultsIn(of('CLOSED')).filter((one) => !expected.open.includes(one)),
    [...expected.closed].sort(),
  )
  differ('number of open issues', of('OPEN').length, expected.open.length)
  const flaky = issues.filter(({ labels }) => labels.some(({ name }) => name === 'flaky')).map(({ title }) => title)
  differ('flaky issues', faultsIn(flaky), [...expected.flaky].sort())
  if (issues.some(({ body }) => /<!--/.test(body))) found.push('an issue has a comment of HTML')
  if (expected.verdict !== 'as before' && page !== undefined) {
    const [, verdict = ''] = /<h1 class="\w+">.*?<\/span> (.*?)<\/h1>/.exec(page) ?? []
    const kinds = {
      red: /does not conform/,
      green: /conforms|shows no failure|does not contradict/,
      none: /No check ran/,
      running: /was running/,
    }
    if (!kinds[expected.verdict].test(verdict)) found.push(`the page says ${verdict}`)
  }
  // A killed run leaves the page across nights as it was.
  if (nights !== undefined && night.event !== 'killed') {
    const rows = plain(nights)
      .split('<tr>')
      .slice(1)
      .map((row) => row.split('</th>')[0] ?? '')
    for (const name of names) {
      const row = rows.find((one) => nameOf[name].test(one.replace(/<[^>]*>/g, ' ')))
      const is =
        row === undefined ? undefined : /fixed on/.test(row) ? 'fixed' : /open since/.test(row) ? 'open' : 'neither'
      differ(`${name} on the page across nights`, is, expected.page[name])
    }
  }
  return found
}
