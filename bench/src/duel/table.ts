import { markdownTable } from '@cdn/kit/markdown-table'
import type { Results } from './results.ts'
import { correct } from './server.ts'
import type { Result, Tool } from './tool.ts'

type BySeed = Record<string, Record<string, Result | { readonly error: string }>>
type ProblemsOf = (result: Result) => readonly string[]

/** One row: a tool, or this suite with its spec layer. */
interface Entry {
  readonly name: string
  readonly version: string
  readonly bySeed: BySeed
  readonly problemsOf: ProblemsOf
}

/** The table of `docs/peers.md`. Only servers that all tools have examined count. */
export function toTable(results: Results, tools: readonly Tool[]): string {
  const { entries, examined } = read(results, tools)
  const detected = entries.map((entry) => examined.filter((name) => detects(entry, name)))
  const rows = entries.map((entry, index) => {
    const others = detected.filter((_, other) => other !== index && !isSameTool(entries[other], entry)).flat()
    const own = (detected[index] ?? []).filter((name) => !others.includes(name)).length
    const measured = examined.flatMap((name) => resultsOf(entry, name))
    const variants = correct.slice(1).filter((name) => resultsOf(entry, name).length > 0)
    return [
      `${entry.name} ${entry.version}`.trim(),
      `${detected[index]?.length} of ${examined.length}`,
      String(own),
      String(alarms(entry).size),
      variants.length > 0
        ? `${variants.filter((name) => detects(entry, name)).length} of ${variants.length}`
        : 'not run',
      String(mean(measured.map(({ requests }) => requests))),
      `${mean(measured.map(({ seconds }) => seconds))} s`,
      entry.name.startsWith('this suite') ? 'yes' : 'no',
    ]
  })
  const replayed = Object.entries(results.replay).filter(([name]) => name !== 'right')
  const seen = replayed.filter(([, { different }]) => different > 0)
  const seeds = [...new Set(entries.flatMap(({ bySeed }) => Object.keys(bySeed)))].join(', ')
  return [
    markdownTable(columns, rows),
    `${replayed.length} servers replayed, ${seen.length} with a different response, ${examined.length} examined by every tool. Seeds: ${seeds}.`,
    missedBy('this suite', entries, detected, examined),
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
]

function missedBy(
  tool: string,
  entries: readonly Entry[],
  detected: readonly string[][],
  examined: readonly string[],
): string {
  const mine = entries.findIndex(({ name }) => name.startsWith(tool))
  const missed = examined.filter((name) => !detected[mine]?.includes(name))
  const others = missed.filter((name) => detected.some((names) => names.includes(name)))
  const list = (names: readonly string[]) => names.map((name) => `- \`${name}\``).join('\n') || '- none'
  return `Detected by another tool and not by this suite:\n\n${list(others)}\n\nDetected by no tool:\n\n${list(missed.filter((name) => !others.includes(name)))}`
}

function isSameTool(other: Entry | undefined, entry: Entry): boolean {
  return other?.bySeed === entry.bySeed
}

function resultsOf({ bySeed }: Entry, name: string): Result[] {
  return Object.values(bySeed).flatMap((all) => {
    const result = all[name]
    return result && 'problems' in result ? [result] : []
  })
}

function alarms(entry: Entry): Set<string> {
  return new Set(resultsOf(entry, 'right').flatMap((result) => entry.problemsOf(result)))
}

/** A tool detects a server if it reports a problem that it does not report for the correct server. */
function detects(entry: Entry, name: string): boolean {
  const known = alarms(entry)
  return resultsOf(entry, name).some((result) => entry.problemsOf(result).some((problem) => !known.has(problem)))
}

function mean(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length))
}

/** The figure of the campaign, in one line. */
export function figureOf(results: Results, tools: readonly Tool[]): string {
  const { entries, examined } = read(results, tools)
  return entries
    .map((entry) => `${entry.name} ${examined.filter((name) => detects(entry, name)).length} of ${examined.length}`)
    .join('; ')
}

/** The rows, and the servers that all tools have examined. */
function read(results: Results, tools: readonly Tool[]): { entries: Entry[]; examined: string[] } {
  const entries = tools.flatMap(({ name, version }): Entry[] => {
    const bySeed = results.tools[name] ?? {}
    const entry = { name, version, bySeed, problemsOf: ({ problems }: Result) => problems }
    return name === 'this suite'
      ? [
          { ...entry, name: 'this suite, spec and supplement' },
          { ...entry, name: 'this suite, spec only', problemsOf: ({ fromSpec = [] }) => fromSpec },
        ]
      : [entry]
  })
  const examined = Object.keys(results.replay).filter(
    (name) => name !== 'right' && entries.every(({ bySeed }) => Object.values(bySeed).some((all) => all[name])),
  )
  return { entries, examined }
}
