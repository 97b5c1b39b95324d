import { expect } from 'vitest'
import { run, start } from './pack.ts'

/** A command line of `cdn` and the text that it prints. */
interface CdnCase {
  readonly line: string
  readonly prints: RegExp
  /** It does not end by itself: the first line is compared, then it is interrupted. */
  readonly isEndless?: boolean
  readonly exit?: number
  /** It prints data, in any format. */
  readonly isData?: boolean
}

/** Command lines of each command of `cdn --help`. The first one of each runs in the short form of the test. */
const cases: Readonly<Record<string, readonly CdnCase[]>> = {
  logs: [
    { line: 'logs query 2002 --limit 2', prints: /"requestId"/, isData: true },
    { line: 'logs stats 2002 --since 2h', prints: /requests/, isData: true },
    { line: 'logs tail 2002 --since 24h', prints: /requestId/, isEndless: true },
    { line: 'logs download 2002 today', prints: /"malformed": 0/ },
  ],
  api: [{ line: 'api GET /pullzone/2001', prints: /"Id": 2001/, isData: true }],
  auth: [{ line: 'auth status', prints: /the environment/, isData: true }],
  profiles: [{ line: 'profiles list', prints: /^$/ }],
  try: [{ line: 'try', prints: /^$/ }],
  completion: [
    { line: 'completion bash', prints: /complete/ },
    { line: 'completion zsh', prints: /compdef/ },
    { line: 'completion fish', prints: /complete/ },
    { line: 'complete -- logs ""', prints: /^query\b/ },
  ],
  version: [
    { line: 'version', prints: /^\d+\.\d+\.\d+\n$/ },
    { line: '--version', prints: /^\d+\.\d+\.\d+\n$/ },
  ],
  help: [
    { line: 'help logs', prints: /^Usage: cdn logs/m },
    { line: 'logs query --help', prints: /^Usage: cdn logs query/m },
  ],
  'video-library': [{ line: 'video-library get 1001', prints: /"Id": 1001/, isData: true }],
  'pull-zone': [{ line: 'pull-zone get 2001', prints: /"Id": 2001/, isData: true }],
}

/** How to read what each output format prints. */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  table: (text) => text.trim().split(/\n+/),
  json: (text) => JSON.parse(text),
  ndjson: (text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  csv: (text) => text.trim().split('\n'),
}

/**
 * Runs every command of `cdn`, and every output format.
 *
 * A command or a format that is not in the tables fails the test.
 *
 * @param program path of the installed program
 * @param env where the platform is
 * @param cwd an empty folder
 * @param isShort whether to run one command line for each command, and each format with one command line
 * @returns what ran, for the log
 */
export async function runCdn(
  program: string,
  { node, env, cwd, isShort }: { node: string; env: NodeJS.ProcessEnv; cwd: string; isShort: boolean },
): Promise<string> {
  const options = { node, env, cwd }
  const { out: help } = await run(program, ['--help'], options)
  const names = [...help.matchAll(/^ {2}([a-z][\w-]+) {2,}/gm)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(Object.keys(cases).toSorted())
  const { out: queryHelp } = await run(program, ['logs', 'query', '--help'], options)
  const [, choices = ''] = /--output <.*?\(choices: (.*?)\)/s.exec(queryHelp) ?? []
  expect([...choices.matchAll(/"(\w+)"/g)].map(([, name]) => name).toSorted()).toEqual(Object.keys(formats).toSorted())

  let count = 2
  const lines = Object.values(cases).flatMap((all) => (isShort ? all.slice(0, 1) : all))
  for (const { line, prints, isEndless, exit = 0 } of lines) {
    const today = new Date().toISOString().slice(0, 10)
    const args = line.split(' ').map((word) => (word === '""' ? '' : word.replace('today', today)))
    count++
    if (isEndless) {
      const started = await start(program, args, options)
      expect(started.line, line).toMatch(prints)
      expect([0, 130], line).toContain(await started.stop())
      continue
    }
    const { code, out, err } = await run(program, args, options)
    expect({ line, code, text: out + err }).toEqual({ line, code: exit, text: expect.stringMatching(prints) })
  }
  for (const { line } of lines.filter(({ isData }) => isData).slice(0, isShort ? 1 : undefined))
    for (const [format, read] of Object.entries(formats)) {
      count++
      const { code, out, err } = await run(program, [...line.split(' '), '--output', format], options)
      expect({ line, format, code, err }).toEqual({ line, format, code: 0, err: '' })
      expect(read(out), `${line} ${format}`).toBeInstanceOf(Object)
    }
  return `cdn: ${count} command lines, ${names.length} commands, ${Object.keys(formats).length} formats`
}
