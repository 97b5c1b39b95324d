/** Writes `gen/proven.json`: the expressions that take linear time on any text, as a tool proves. Usage: node prove.ts */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { literalsOf, toRegExp } from './find.ts'

/**
 * Whether the tool proves that an expression takes linear time on any text. It has no proof for lookarounds, references to groups
 * and the flag `v`, which is therefore an answer like "no".
 *
 * @param literal the expression, as it is written in the source
 * @param timeoutMs maximum time for the proof
 */
export async function isProven(literal: string, timeoutMs: number): Promise<boolean> {
  const { source, flags } = toRegExp(literal)
  return (await check(source, flags, { checker: 'automaton', timeout: timeoutMs })).status === 'safe'
}

if (import.meta.main) {
  const proven: string[] = []
  for (const literal of literalsOf()) if (await isProven(literal, 60_000)) proven.push(literal)
  mkdirSync(join(import.meta.dirname, 'gen'), { recursive: true })
  writeFileSync(join(import.meta.dirname, 'gen/proven.json'), `${JSON.stringify(proven, undefined, 2)}\n`)
  process.exit() // the tool keeps a process
}
