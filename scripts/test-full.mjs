// `pnpm test:full [--only TEXT] [--write]`: runs the campaigns, hours in total, one after another. The last line that a campaign
// prints is its figure. `--write` puts the figures of those that ran into the table of docs/campaigns.md. `--names` prints the names
// as JSON, so that a workflow can run each in a job of its own.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, node, pnpm, root } from './install.mjs'

const suite = 'packages/conformance/tests/campaigns'
const exporter = 'apps/logs-exporter/tests'
/** What each campaign shows, and its command. */
const campaigns = [
  ['live runs on correct platforms, in all worlds: false alarms', `${suite}/worlds.ts --seeds 20`],
  ['every permitted variant, and mixtures of them: false alarms', `${suite}/false-alarms.ts --seeds 20`],
  ['constraints of requests that a live run breaks and meets', `${suite}/coverage.ts`],
  ['constraints without permission to write', `${suite}/coverage.ts --read-only`],
  ['runs ended at random: the state is restored', `${suite}/endure.ts 200`],
  ['generated servers with one fault', `${suite}/mutants.ts`],
  ['generated servers with one fault, as live runs', `${suite}/live-mutants.ts`],
  ['failures that their stored case and commands reproduce', `${suite}/reproduce.ts`],
  ['exporter killed at random and named points, sink: files', `${exporter}/campaigns/crash.ts --runs 500`],
  ...Object.entries({
    s3: 'S3',
    oneWriter: 'S3 without conditional PUT, one writer',
    azure: 'Azure Blob Storage',
    google: 'Google Cloud Storage',
  }).map(([name, store]) => [
    `exporter killed at random and named points, sink: ${store}`,
    `${exporter}/campaigns/crash.ts --runs 500 --sink ${exporter}/crash/objects.ts#${name}`,
  ]),
  [
    'exporter killed at random and named points, sink: PostgreSQL',
    `${exporter}/campaigns/crash.ts --runs 500 --sink ${exporter}/crash/postgres.ts#postgres`,
  ],
  ...[3, 8, 20, 60].map((seconds) => [
    `exporter killed every ${seconds} s for 15 min of real time: every life exports`,
    `${exporter}/crash/kill-often.ts ${seconds} 15`,
  ]),
  ...['http', 'bulk', 'otlp', 'stdout'].map((protocol) => [
    `delivery killed at random and named points, responses lost: ${protocol}`,
    `${exporter}/deliver/kill-deliveries.ts ${protocol} 500`,
  ]),
  ['power cuts after every disk operation', `${exporter}/campaigns/power-cut.ts`],
  ['48 h without the exporter, then 48 h without the platform', `${exporter}/campaigns/downtime.ts`],
  ['a day of 1,000 zones: use of the rate limit', `${exporter}/campaigns/rate.ts`],
  ['shards killed, suspended, doubled, added and removed', `${exporter}/shards/run-campaign.ts 200 120`],
  ['faults in the exporter that a test must detect', `${exporter}/campaigns/mutants.ts`],
  ['docs/extending.md and a nested area, step by step', 'tests/src/new-area/run-walk-through.ts --tests'],
  ['five other generators read the contracts of @cdn/api', 'tests/src/release/run-generators.ts'],
  [
    'each package installed alone by npm, pnpm and bun, used on the oldest and newest Node',
    'tests/src/release/run-install-matrix.ts',
  ],
  ['npm test with 10 times the property cases, tarballs on every runtime', 'scripts/test.mjs'],
]

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, write: { type: 'boolean' }, names: { type: 'boolean' } },
})
if (values.names) {
  console.log(JSON.stringify(campaigns.map(([name]) => name)))
  process.exit()
}
const named = campaigns.filter(([name]) => name === values.only)
const selected = named.length > 0 ? named : campaigns.filter((campaign) => campaign.join(' ').includes(values.only))
if (selected.length === 0) {
  console.error(`No campaign contains ${JSON.stringify(values.only)}: see scripts/test-full.mjs for their names.`)
  process.exit(2)
}
ensureInstalled('all')

const page = join(root, 'docs/campaigns.md')
const [before, , after] = readFileSync(page, 'utf8').split(/(?<=<!-- campaigns -->)|(?=<!-- .campaigns -->)/)
const env = { ...process.env, CDN_PROPERTY_FACTOR: '10', CDN_RELEASE: '1', NO_COLOR: '1' }
for (const [name, command] of selected) {
  const begun = Date.now()
  console.log(`\n${name}: node ${command}`)
  const { status, stdout } = spawnSync(node, command.split(' '), {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const minutes = ((Date.now() - begun) / 60_000).toFixed(1)
  const figure = stdout.trim().split('\n').at(-1)?.replaceAll('|', '\\|')
  console.log(`${status === 0 ? 'ok' : 'FAILED'} in ${minutes} min: ${figure}`)
  if (status !== 0) {
    console.log(stdout)
    process.exitCode = 1
  }
  if (!values.write) continue
  const date = new Date().toISOString().slice(0, 10)
  const row = `| ${name} | ${status === 0 ? figure : `**failed**: ${figure}`} | ${minutes} | ${date} | \`${command}\` |`
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.split('`').length > 2 && !line.includes('command: `node`'))
  const known = campaigns.flatMap(([, other]) =>
    other === command ? [row] : rows.filter((line) => line.split('`').at(-2) === other),
  )
  const table = ['| campaign | result | min | date | command: `node` |', '| --- | --- | --- | --- | --- |', ...known]
  writeFileSync(page, `${before}\n\n${table.join('\n')}\n\n${after}`)
}
if (values.write) pnpm(['exec', 'biome', 'format', '--write', 'docs/campaigns.md'], { stdio: 'inherit' })
