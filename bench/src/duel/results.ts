import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from './tool.ts'
import type { Visibility } from './visibility.ts'

/** What the campaign has measured so far. A server is known by its name, so that a later run goes on. */
export interface Results {
  /** Hash of the sources that are mutated. Names of mutants have no meaning for other sources. */
  readonly sources: string
  /** By server. */
  readonly replay: Record<string, Visibility>
  /** By tool, seed and server. */
  readonly tools: Record<string, Record<string, Record<string, Result | { readonly error: string }>>>
}

/** Problems that a result keeps. One that the correct server does not have is sufficient for a detection. */
const maxProblems = 3

/** The kinds of problems that a tool reports for the correct server, with any seed. */
export function alarmsOf(bySeed: Results['tools'][string], problemsOf = problemsIn): Set<string> {
  return new Set(Object.values(bySeed).flatMap(({ right }) => (right && 'problems' in right ? problemsOf(right) : [])))
}

export function problemsIn({ problems }: Result): readonly string[] {
  return problems
}

/** Returns a result with only a few of the problems that are not alarms, so that the file stays small. */
export function shortened(result: Result, alarms: ReadonlySet<string>): Result {
  const shorten = (problems: readonly string[]) => problems.filter((text) => !alarms.has(text)).slice(0, maxProblems)
  return {
    ...result,
    problems: shorten(result.problems),
    ...(result.fromSpec && { fromSpec: shorten(result.fromSpec) }),
  }
}

const file = join(import.meta.dirname, 'results.json')

/** Returns the results for these sources: those that are stored, or none yet. */
export function readResults(sources: string): Results {
  const stored: Results = JSON.parse(readFileSync(file, 'utf8'))
  return stored.sources === sources ? stored : { sources, replay: {}, tools: {} }
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`)
}
