/** `pnpm review-effects [INTERFACE]`: asks about each statement that an import assumed, and records the decisions. */
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Action, bundleContract, interfaces, reviewFile, specsFolder } from '../bundle.ts'
import { type Assumed, assumedIn, decisionOf, decisionsToYaml, effects, readDecisions } from '../import/review.ts'
import { commit } from '../import/transaction.ts'
import { runScript } from '../run-script.ts'

const usage = `pnpm review-effects [INTERFACE] [--list] [--set NAME=EFFECT|accept|reject ...]`

const help = `Press Enter to accept what is assumed, s to skip it, q to stop. What is skipped stays assumed: it permits nothing.
An effect takes r (read), w (write) or d (destructive) instead. A read changes nothing and may be repeated. A destructive
operation deletes something. Answer n if a resource or a change is wrong. specs/README.md describes these statements.
`

/** Ends a review. */
const stop = Symbol('stop')
/** Decides about a statement: its value, or null to reject it; undefined skips it, and `stop` ends the review. */
type Decide = (one: Assumed) => unknown

/** Reviews statements of an interface. Prints the number of recorded decisions, and of statements that stay assumed. */
async function review(name: string, all: readonly Assumed[], decide: Decide): Promise<void> {
  const decisions: Action[][] = []
  for (const one of all) {
    const decision = await decide(one)
    if (decision === stop) break
    if (decision !== undefined) decisions.push(decisionOf(one, decision))
  }
  const { length: count } = decisions
  if (count > 0) {
    const path = reviewFile(name)
    const earlier = await readDecisions(join(specsFolder, path))
    await commit(name, { [path]: decisionsToYaml(name, [...earlier, ...decisions.flat()]) })
  }
  console.log(`${name}: ${count} decisions recorded, ${all.length - count} statements stay assumed.`)
}

/** Prompts for each statement, at a terminal or line by line from a pipe. */
function questions(lines: Interface): Decide {
  const answers = lines[Symbol.asyncIterator]()
  return async (one) => {
    const choices: Readonly<Record<string, string | null>> =
      one.statement === 'x-effect'
        ? Object.fromEntries(effects.map((effect) => [effect.charAt(0), effect]))
        : { n: null }
    const keys = [...Object.keys(choices), 'Enter', 's', 'q']
    process.stdout.write(`\n${one.title}\n  ${one.name}: ${one.summary}\n  ${shown(one)}? [${keys.join('/')}] `)
    for (;;) {
      const { value, done } = await answers.next()
      const answer = done ? 'q' : String(value).trim().toLowerCase()
      if (answer === 'q') return stop
      if (answer === 's') return undefined
      if (answer === '') return one.value
      if (Object.hasOwn(choices, answer)) return choices[answer]
      process.stdout.write(`  ${keys.slice(0, -1).join(', ')} or q? `)
    }
  }
}

/** Describes a statement in one line: the effect alone, or the key and the value. */
function shown({ statement, value }: Assumed): string {
  return statement === 'x-effect' ? String(value) : `${statement}: ${JSON.stringify(value)}`
}

/** Returns the key of a statement for `--set`: `effect of NAME`, or `proposal of NAME`. */
function keyOf({ name, statement }: Pick<Assumed, 'name' | 'statement'>): string {
  return `${statement === 'x-effect' ? 'effect' : 'proposal'} of ${name}`
}

/** Returns the decisions from `--set`, by `keyOf`. */
function readSettings(set: readonly string[]): Map<string, Decide> {
  const words = [...effects, 'accept', 'reject']
  const settings = set.map((text): [string, Decide] => {
    const [, name, word] = /^([a-z0-9-]+)=(.+)$/.exec(text) ?? []
    if (name === undefined || word === undefined || !words.includes(word))
      throw new RangeError(`Invalid --set ${JSON.stringify(text)}: expected NAME=${words.join(', NAME=')}.`)
    if (word === 'accept') return [keyOf({ name, statement: 'x-change' }), ({ value }) => value]
    if (word === 'reject') return [keyOf({ name, statement: 'x-change' }), () => null]
    return [keyOf({ name, statement: 'x-effect' }), () => word]
  })
  return new Map(settings)
}

async function main(args: string[]): Promise<undefined> {
  const options = { list: { type: 'boolean' }, set: { type: 'string', multiple: true } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const unknown = positionals.find((name) => !interfaces.includes(name))
  if (unknown !== undefined || positionals.length > 1)
    throw new RangeError(`Unknown interface ${unknown ?? positionals.join(' ')}: expected ${interfaces.join(', ')}.`)
  const names = positionals.length > 0 ? positionals : interfaces
  const settings = readSettings(values.set ?? [])
  if (settings.size > 0 && names.length !== 1) throw new RangeError(`--set needs one interface: ${usage}`)
  using lines = values.list || settings.size > 0 ? undefined : createInterface({ input: process.stdin })
  if (lines) process.stdout.write(help)
  const decide = lines ? questions(lines) : (one: Assumed) => settings.get(keyOf(one))?.(one)
  for (const name of names) {
    const all = assumedIn(await bundleContract(name, 'full'))
    const unknown = [...settings.keys()].find((key) => !all.some((one) => keyOf(one) === key))
    if (unknown !== undefined) throw new RangeError(`No ${unknown.replace(' of ', ` of ${name} is assumed for `)}.`)
    if (values.list)
      for (const one of all) console.log(`${name}\t${shown(one)}\t${one.name}\t${one.title}\t${one.summary}`)
    else await review(name, all, decide)
  }
}

await runScript(usage, main)
