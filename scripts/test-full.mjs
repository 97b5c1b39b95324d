// `pnpm test:full [--only TEXT] [--write]`: runs the campaigns, hours in total, one after another. The last line that a campaign
// prints is its figure. `--write` puts the figures into the table of docs/campaigns.md. `--names` prints the names as JSON, so that a
// workflow can run each campaign in a job of its own.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, node, pnpm, root } from './install.mjs'

const suite = 'packages/conformance/tests/campaigns'
const exporter = 'apps/logs-exporter/tests'
/** The name and the command of each campaign. The name says what the campaign shows. */
const campaigns = [
  ['live runs on correct platforms, in all worlds: false alarms', `${suite}/worlds.ts --seeds 20`],
  ['every permitted variant, and mixtures of them: false alarms', `${suite}/false-alarms.ts --seeds 20`],
  ['runs ended at random: the fixtures are in their declared state', `${suite}/endure.ts 200`],
  ['ten stories of fourteen nights, against an oracle', 'tests/src/nights/campaign.ts'],
  ['generated servers with one fault: kills, and causes of each', `${suite}/mutants.ts`],
  ['faults of the emulator, alone and in pairs: causes, issues, messages', `${suite}/faults.ts`],
  ...['files', 'files-parquet', 's3', 's3-one-writer', 'azure', 'google', 'postgres'].map((sink) => [
    `exporter killed at random and named points: ${sink}`,
    `${exporter}/campaigns/crash.ts --runs 500 --sink ${sink}`,
  ]),
  ['standard output killed at random', `${exporter}/stdout/kill-stdout.ts 500`],
  ['power cuts after every disk operation', `${exporter}/campaigns/power-cut.ts`],
  ['answers that cannot be read, each kind', `${exporter}/campaigns/unreadable.ts`],
  ['answers that cannot be read, in pairs', `${exporter}/campaigns/unreadable.ts --pairs`],
  ['processor time per cycle with 1 to 10,000 zones', `${exporter}/campaigns/zones.ts`],
  ['npm test with 10 times the property cases', 'scripts/test.mjs'],
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

const env = { ...process.env, CDN_PROPERTY_FACTOR: '10', NO_COLOR: '1' }
const rows = new Map()
for (const [name, command] of selected) {
  const begun = Date.now()
  console.log(`\n${name}: node ${command}`)
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] }
  const { status, stdout } = spawnSync(node(), command.split(' '), options)
  const minutes = ((Date.now() - begun) / 60_000).toFixed(1)
  const figure = stdout.trim().split('\n').at(-1)?.replaceAll('|', '\\|')
  console.log(`${status === 0 ? 'ok' : `${stdout}FAILED`} in ${minutes} min: ${figure}`)
  if (status !== 0) process.exitCode = 1
  const date = new Date().toISOString().slice(0, 10)
  const result = status === 0 ? figure : `**failed**: ${figure}`
  rows.set(command, `| ${name} | ${result} | ${minutes} | ${date} | \`${command}\` |`)
}
if (values.write) {
  const page = join(root, 'docs/campaigns.md')
  const [before, table = '', after] = readFileSync(page, 'utf8').split(
    /(?<=<!-- campaigns -->)|(?=<!-- .campaigns -->)/,
  )
  const old = (command) => table.split('\n').find((line) => line.includes(`\`${command}\``))
  const lines = campaigns.map(([name, command]) => {
    const row = rows.get(command) ?? old(command) ?? `| | not run yet | - | - | \`${command}\` |`
    return row.replace(/^\|[^|]*/, `| ${name} `)
  })
  const head = ['| campaign | result | min | date | command: `node` |', '| --- | --- | --- | --- | --- |']
  writeFileSync(page, `${before}\n\n${[...head, ...lines].join('\n')}\n\n${after}`)
  pnpm(['exec', 'biome', 'format', '--write', 'docs/campaigns.md'], { stdio: 'inherit' })
}
