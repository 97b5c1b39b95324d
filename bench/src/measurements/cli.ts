import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defined } from '@cdn/kit/defined'
import { type Each, mapEach, median } from '../rates.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { startSubject } from '../subjects/child.ts'

const rounds = 15
/** The default number of rows of `cdn logs query`. */
const limit = 100

/** Measures the start time of the published command line and the time to print a page. Compares both with peers. */
export const cli: Measurement = {
  name: 'cli',
  async run() {
    const home = mkdtempSync(join(tmpdir(), 'bench-cli-'))
    const traffic = { zones: 3 * (rounds + 1), rowsPerSecond: 10 }
    const emulator = await startSubject('emulator-server', { start: new Date().toISOString(), traffic })
    try {
      const env = {
        PATH: process.env['PATH'],
        HOME: home,
        CDN_MANAGEMENT_URL: emulator.managementUrl,
        CDN_LOGGING_URL: emulator.loggingUrl,
        CDN_ACCESS_KEY: emulator.accessKey,
        WRANGLER_SEND_METRICS: 'false',
        CI: 'true',
      }
      const cdn = buildCli()
      const wrangler = join(import.meta.dirname, '../../node_modules/wrangler/bin/wrangler.js')
      const bare = join(home, 'bare.mjs')
      writeFileSync(bare, bareFetch)
      return [...startRows(env, cdn, wrangler), pageRow(env, cdn, bare)]
    } finally {
      await emulator.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
}

/** A script that prints a page with a bare `fetch`. */
const bareFetch = `
const url = process.env.CDN_LOGGING_URL + 'v2/pullzones/' + process.argv[2] + '/logs?limit=${limit}'
const response = await fetch(url, { headers: { AccessKey: process.env.CDN_ACCESS_KEY } })
process.stdout.write(await response.text())
`

/** @returns the entry file of the program, built as for publishing */
function buildCli(): string {
  const folder = dirname(fileURLToPath(import.meta.resolve('@cdn/cli/package.json')))
  execFileSync(process.execPath, [join(folder, 'scripts/build.ts')], { stdio: 'inherit' })
  return join(folder, 'dist/bin.js')
}

function startRows(env: NodeJS.ProcessEnv, cdn: string, wrangler: string): Row[] {
  const [node, ours, theirs] = compareTimes(env, [
    () => ['-e', '0'],
    () => [cdn, '--version'],
    () => [wrangler, '--version'],
  ])
  const row = { what: 'cdn --version', ours: `${digits(ours)} ms` }
  return [
    {
      ...row,
      peer: `node -e 0 ${digits(node)} ms: ${digits(ours / node)} times`,
      bound: 'at most 1.6 times',
      met: ours <= 1.6 * node,
    },
    {
      ...row,
      peer: `wrangler --version ${digits(theirs)} ms: ${digits(theirs / ours)} times`,
      bound: 'informational',
      met: true,
    },
  ]
}

function pageRow(env: NodeJS.ProcessEnv, cdn: string, bare: string): Row {
  // The emulator's clock stands still, so the rate limit allows only 30 requests per zone (§8). Each request uses another zone.
  let zone = 10_001
  const next = () => String(zone++)
  const [floor, ours] = compareTimes(env, [() => [bare, next()], () => [cdn, 'logs', 'query', next()]])
  return {
    what: `cdn logs query, a page of ${limit} rows`,
    ours: `${digits(ours)} ms`,
    peer: `a script with one bare fetch ${digits(floor)} ms: ${digits(ours / floor)} times`,
    bound: 'at most 1.5 times',
    met: ours <= 1.5 * floor,
  }
}

/**
 * Measures programs alternately, so that other load on the machine affects all of them. The first round is a warm-up.
 *
 * @param commands functions that return the arguments of Node for the next run
 * @returns medians in milliseconds, in the order of the commands
 */
function compareTimes<const Commands extends readonly (() => readonly string[])[]>(
  env: NodeJS.ProcessEnv,
  commands: Commands,
): Each<Commands, number> {
  const times: number[][] = commands.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, command] of commands.entries()) {
      const words = command()
      const begun = performance.now()
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
      if (status !== 0 || (words[0] !== '-e' && stdout === '')) throw new Error(`${words.join(' ')} failed: ${stderr}`)
      if (round > 0) defined(times[index]).push(performance.now() - begun)
    }
  }
  return mapEach(commands, (_, index) => median(defined(times[index])))
}
