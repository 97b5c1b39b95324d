import { contracts } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { commands } from '../scripts/examples.ts'
import { runCli } from './support/cli.ts'

test.each(['logs query', 'api', 'auth login', 'pull-zone'])('cdn help %s is the same as --help', async (command) => {
  const words = command.split(' ')
  const { code, out, err } = await runCli([...words, '--help'])
  expect([code, err]).toEqual([0, ''])
  expect(await runCli(['help', ...words])).toEqual({ code, out, err })
})

test('the usage comes first, then summary, examples, arguments and options; defaults stand in parentheses', async () => {
  const { out } = await runCli(['logs', 'query', '--help'])
  const places = [
    'Usage: cdn logs query [options] <zone>',
    'Print log rows of a time range\n\nExamples:',
    'Arguments:',
    'Options:',
    '(default: 100)',
    'Shared options:',
  ]
  const positions = places.map((text) => out.indexOf(text))
  expect(positions).toEqual([0, ...positions.slice(1).sort((a, b) => a - b)])
  expect(positions.slice(1).every((position) => position > 0)).toBe(true)
  expect(out).not.toContain('\n\n\n')
})

test('the help of a group does not list the command help', async () => {
  const help = await runCli(['logs', '--help'])
  expect(help.out).not.toMatch(/^ +help /m)
  expect(await runCli(['logs', 'help'])).toEqual(help)
  expect(await runCli(['logs', 'help', 'query'])).toEqual(await runCli(['logs', 'query', '--help']))
})

test('the help cites no section and no source', async () => {
  for (const { path } of commands) {
    const { out } = await runCli([...path, '--help'])
    expect(out, path.join(' ')).not.toMatch(/§|supplement|unspecified/i)
  }
})

test('areas without operations are one line, not commands, and cdn logs has no second group', async () => {
  const { out } = await runCli(['--help'])
  const empty = Object.values(contracts).flatMap(({ areas, operations }) =>
    areas.filter(({ name }) => !operations.some(({ area }) => area === name)),
  )
  expect(out).toContain(`\n${empty.length} areas of the platform have no command yet`)
  expect(out).not.toMatch(/audit-?log/i)
  expect((await runCli(['logging'])).err).toContain('Unknown command "logging"')
})

test('lines of the help fit the terminal', async () => {
  const { out } = await runCli(['pull-zone', 'add-allowed-referrer', '--help'], { columns: 60 })
  const prose = out.split('\n').filter((line) => !line.includes('cdn '))
  expect(Math.max(...prose.map(({ length }) => length))).toBeLessThanOrEqual(60)
})

test.each([
  [[], 0, 'out'],
  [['--help'], 0, 'out'],
  [['pull-zone'], 2, 'err'],
  [['pull-zone', '-h'], 0, 'out'],
] as const)(
  'the help of a group goes to standard output if requested, else to standard error: %j',
  async (words, code, stream) => {
    const run = await runCli(words)
    expect(run.code).toBe(code)
    expect(run[stream]).toContain('Commands:')
  },
)
