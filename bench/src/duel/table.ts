import { markdownTable } from '@cdn/kit/markdown-table'
import { reasonOf } from './reasons.ts'
import { alarmsOf, problemsIn, type Results } from './results.ts'
import { correct } from './server.ts'
import type { Result, Tool } from './tool.ts'

type BySeed = Record<string, Record<string, Result | { readonly error: string }>>

/** One row: a tool, or this suite with its spec layer. */
interface Entry {
  readonly name: string
  readonly namesSentence: boolean
  readonly bySeed: BySeed
  problemsOf(result: Result): readonly string[]
}

/** A tool with what the table needs of it. */
type TableTool = Pick<Tool, 'name' | 'version' | 'namesSentence'>

/** The table of `docs/peers.md`. Only servers that all tools have examined count. */
export function toTable(results: Results, tools: readonly TableTool[]): string {
  const { entries, examined } = read(results, tools)
  const detected = entries.map((entry) => examined.filter((name) => detects(entry, name)))
  const rows = entries.map((entry, index) => {
    const others = detected.filter((_, other) => other !== index && entries[other]?.bySeed !== entry.bySeed).flat()
    const own = (detected[index] ?? []).filter((name) => !others.includes(name)).length
    const measured = examined.flatMap((name) => resultsOf(entry, name))
    const variants = correct.slice(1).filter((name) => resultsOf(entry, name).length > 0)
    return [
      entry.name,
      `${detected[index]?.length} of ${examined.length}`,
      String(own),
      String(alarmsOf(entry.bySeed, entry.problemsOf).size),
      `${variants.filter((name) => detects(entry, name)).length} of ${variants.length}`,
      String(mean(measured.map(({ requests }) => requests))),
      `${mean(measured.map(({ seconds }) => seconds))} s`,
      entry.namesSentence ? 'yes' : 'no',
      Object.keys(entry.bySeed).join(', '),
    ]
  })
  const suites = entries.findIndex(({ name }) => name.startsWith('this suite'))
  const missed = examined.filter((name) => !detected[suites]?.includes(name))
  const byOthers = missed.filter((name) => detected.some((names) => names.includes(name)))
  const finders = (name: string) =>
    entries.filter((_, index) => detected[index]?.includes(name)).map((entry) => entry.name)
  return [
    markdownTable(columns, rows),
    `${replayed(results, examined)}`,
    `Detected by another tool and not by this suite:\n\n${list(byOthers.map((name) => `${code(name)}, by ${finders(name).join(', ')}: ${reasonOf(name)}`))}`,
    `Detected by no tool:\n\n${byReason(missed.filter((name) => !byOthers.includes(name)))}`,
    `Without a different response in the replay, so no tool examined them:\n\n${byReason(unseen(results))}`,
  ].join('\n\n')
}

const columns = [
  'tool',
  'detected',
  'only by it',
  'alarms, correct server',
  'alarms, variants',
  'requests',
  'time',
  'names the sentence',
  'seeds',
]

/** How many servers the replay saw, and why the others are not in the table. */
function replayed({ replay }: Results, examined: readonly string[]): string {
  const all = Object.values(replay)
  const visible = all.filter(({ first }) => first)
  const broken = all.filter((seen) => seen.broken)
  return `${all.length} servers replayed: ${visible.length} with a different response, ${broken.length} that do not start or do not respond (every client sees that, so the duel leaves them out), ${all.length - visible.length - broken.length} without a different response. Examined by every tool: ${examined.length}.`
}

function unseen({ replay }: Results): string[] {
  return Object.entries(replay).flatMap(([name, { first, broken }]) => (first || broken ? [] : [name]))
}

/** One line per reason, with the servers. */
function byReason(names: readonly string[]): string {
  const groups = Map.groupBy(names, reasonOf)
  return list([...groups].map(([reason, all]) => `${reason} ${all.map(code).join(', ')}`))
}

/** A name as code. A backtick of a mutant's text would end it. */
function code(name: string): string {
  return `\`${name.replaceAll('`', "'")}\``
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n') || '- none'
}

function resultsOf({ bySeed }: Entry, name: string): Result[] {
  return Object.values(bySeed).flatMap((all) => {
    const result = all[name]
    return result && 'problems' in result ? [result] : []
  })
}

/** A tool detects a server if it reports a problem that it does not report for the correct server. */
function detects(entry: Entry, name: string): boolean {
  const known = alarmsOf(entry.bySeed, entry.problemsOf)
  return resultsOf(entry, name).some((result) => entry.problemsOf(result).some((problem) => !known.has(problem)))
}

function mean(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length))
}

/** The figure of the campaign, in one line. */
export function figureOf(results: Results, tools: readonly TableTool[]): string {
  const { entries, examined } = read(results, tools)
  return entries
    .map((entry) => `${entry.name} ${examined.filter((name) => detects(entry, name)).length} of ${examined.length}`)
    .join('; ')
}

/** The rows, and the servers that all tools have examined. */
function read(results: Results, tools: readonly TableTool[]): { entries: Entry[]; examined: string[] } {
  const entries = tools.flatMap(({ name, version, namesSentence }): Entry[] => {
    const shared = { namesSentence, bySeed: results.tools[name] ?? {} }
    return name === 'this suite'
      ? [
          { ...shared, name: 'this suite, spec and supplement', problemsOf: problemsIn },
          { ...shared, name: 'this suite, spec only', problemsOf: ({ fromSpec = [] }) => fromSpec },
        ]
      : [{ ...shared, name: `${name} ${version}`, problemsOf: problemsIn }]
  })
  const examined = Object.entries(results.replay).flatMap(([name, { first }]) =>
    first && entries.every((entry) => resultsOf(entry, name).length > 0) ? [name] : [],
  )
  return { entries, examined }
}
