/** `pnpm review-effects [INTERFACE]`: asks about each statement that an import assumed, and records the decisions. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Action, bundleContract, interfaces, reviewFile, specsFolder } from '../bundle.ts'
import { type Assumed, assumedIn, decisionOf, decisionsToYaml, effects, readDecisions } from '../import/review.ts'
import { commit } from '../import/transaction.ts'

const usage = `pnpm review-effects [INTERFACE] [--list] [--set NAME=EFFECT|accept|reject ...]`

const help = `Press Enter to accept what is assumed, s to skip it, q to stop. What is skipped stays assumed: it permits nothing.
An effect takes r (read), w (write) or d (destructive) instead. A read changes nothing and may be repeated. A destructive
operation deletes something. Answer n if a resource or a change is wrong. specs/README.md describes these statements.
`

/** The answers to a question, with their decisions. */
const effectAnswers: Answers = Object.fromEntries(effects.map((effect) => [effect.charAt(0), effect]))
const proposalAnswers: Answers = { n: null }
type Answers = Readonly<Record<string, string | null>>

/** Ends a review. */
const stop = Symbol('stop')
/** A decision about a statement: its value, or null to reject it; undefined skips it. */
type Decision = unknown

/**
 * Reviews one interface.
 *
 * Prints the number of recorded decisions, and the number of statements that stay assumed.
 *
 * @param decide returns a decision, or `stop`
 */
async function review(name: string, decide: (one: Assumed) => Promise<Decision>) {
  const all = assumedIn(await bundleContract(name, 'full'))
  const decisions: Action[] = []
  let count = 0
  for (const one of all) {
    const decision = await decide(one)
    if (decision === stop) break
    if (decision === undefined) continue
    decisions.push(...decisionOf(one, decision))
    count++
  }
  if (count > 0) {
    const path = reviewFile(name)
    const earlier = await readDecisions(join(specsFolder, path))
    await commit(name, { [path]: decisionsToYaml(name, [...earlier, ...decisions]) })
  }
  console.log(`${name}: ${count} decisions recorded, ${all.length - count} statements stay assumed.`)
}

/** Prompts for each statement, at a terminal or line by line from a pipe. */
function createQuestions() {
  const lines = createInterface({ input: process.stdin })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (one: Assumed): Promise<Decision> => {
    const choices = one.statement === 'x-effect' ? effectAnswers : proposalAnswers
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
  return { ask, close: () => lines.close() }
}

/** Describes a statement in one line: the effect alone, or the key and the value. */
function shown({ statement, value }: Assumed): string {
  return statement === 'x-effect' ? String(value) : `${statement}: ${JSON.stringify(value)}`
}

const settings = [...effects, 'accept', 'reject']

/** Returns the decisions from `--set`, by the name of the operation or resource. */
function readSettings(set: readonly string[]): Map<string, string> {
  return new Map(
    set.map((text): [string, string] => {
      const [, name, stated] = /^([a-z0-9-]+)=(.+)$/.exec(text) ?? []
      const decision = settings.find((one) => one === stated)
      if (name === undefined || decision === undefined)
        throw new RangeError(`Invalid --set ${JSON.stringify(text)}: expected NAME=${settings.join(', NAME=')}.`)
      return [`${name} ${effects.some((one) => one === decision) ? 'effect' : 'proposal'}`, decision]
    }),
  )
}

async function main(args: string[]): Promise<void> {
  const options = { list: { type: 'boolean' }, set: { type: 'string', multiple: true } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const unknown = positionals.find((name) => !interfaces.includes(name))
  if (unknown !== undefined || positionals.length > 1)
    throw new RangeError(`Unknown interface ${unknown ?? positionals.join(' ')}: expected ${interfaces.join(', ')}.`)
  const names = positionals.length > 0 ? positionals : interfaces
  if (values.list) {
    for (const name of names)
      for (const one of assumedIn(await bundleContract(name, 'full')))
        console.log(`${name}\t${shown(one)}\t${one.name}\t${one.title}\t${one.summary}`)
    return
  }
  const decisions = readSettings(values.set ?? [])
  if (decisions.size > 0) {
    const [name, ...more] = names
    if (name === undefined || more.length > 0) throw new RangeError(`--set needs one interface: ${usage}`)
    const keyOf = (one: Assumed) => `${one.name} ${one.statement === 'x-effect' ? 'effect' : 'proposal'}`
    const known = new Set(assumedIn(await bundleContract(name, 'full')).map(keyOf))
    for (const key of decisions.keys()) {
      const [of, kind] = key.split(' ')
      if (!known.has(key)) throw new RangeError(`No ${kind} of ${name} is assumed for ${of}.`)
    }
    return await review(name, async (one) => {
      const decision = decisions.get(keyOf(one))
      return decision === 'accept' ? one.value : decision === 'reject' ? null : decision
    })
  }
  const questions = createQuestions()
  process.stdout.write(help)
  try {
    for (const name of names) await review(name, questions.ask)
  } finally {
    questions.close()
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Error)) throw error
  const isUsage = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!isUsage && !(error instanceof RangeError)) throw error
  console.error(isUsage ? `${error.message.split('. ')[0]}: ${usage}` : error.message)
  process.exitCode = 2
}
