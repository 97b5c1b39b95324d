import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runCli } from './cli.ts'

const { out: bash } = await runCli(['completion', 'bash'])

/** What bash offers for a line; the last word is the one that is being typed. */
async function complete(...words: string[]): Promise<string[]> {
  const list = ['cdn', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${bash}\ncompopt() { echo "compopt $*"; }\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _cdn; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script])
  return stdout.split('\n').filter(Boolean)
}

test('bash offers commands, areas, options and values', async () => {
  expect(await complete('pull')).toEqual(['pull-zone'])
  expect(await complete('pull-zone', 'add')).toEqual(['add-allowed-referrer'])
  expect(await complete('auth', '')).toEqual(['login', 'status', 'logout', '--help'])
  expect(await complete('pull-zone', 'add-allowed-referrer', '2001', '--ho')).toEqual(['--hostname'])
  expect(await complete('pull-zone', 'get-pull-zone', '1', '--output', 'nd')).toEqual(['ndjson'])
  expect(await complete('pull-zone', 'get-pull-zone', '1', '-o', '')).toEqual(['table', 'json', 'ndjson', 'csv'])
  expect(await complete('api', 'GET', '/', '--input', '')).toEqual(['compopt -o default'])
  expect(await complete('pull-zone', 'get-pull-zone', '--profile', '')).toEqual([])
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help'])
  expect(await complete('nope', 'pull')).toEqual([])
})

test.each(['bash', 'zsh', 'fish'])('the script for %s', async (shell) => {
  const { code, out } = await runCli(['completion', shell])
  expect(code).toBe(0)
  await expect(out).toMatchFileSnapshot(`snapshots/completion.${shell}`)
})
