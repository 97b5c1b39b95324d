/** `pnpm review-effects [INTERFACE]`: asks about each effect that an import assumed, and records the decisions. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Action, bundleContract, interfaces, reviewFile, specsFolder } from '../bundle.ts'
import { type Assumed, assumedIn, decisionOf, decisionsToYaml, effects, readDecisions } from '../import/review.ts'
import { commit } from '../import/transaction.ts'

const usage = `pnpm review-effects [INTERFACE] [--list] [--set NAME=EFFECT ...]`

const help = `Answer with r (read), w (write) or d (destructive), Enter to accept the assumed effect, s to skip, q to stop.
A read changes nothing and may be repeated. A destructive operation deletes something. A skipped effect stays assumed: it
permits nothing.
`

/** The letter for each effect. */
const letters = Object.fromEntries(effects.map((effect) => [effect.charAt(0), effect]))

/**
 * Reviews one interface.
 *
 * @param decide returns an effect; undefined skips the operation, null ends the review
 * @returns the number of recorded decisions, and the number of effects that stay assumed
 */
async function review(name: string, decide: (one: Assumed) => Promise<string | undefined | null>) {
  const all = assumedIn(await bundleContract(name, 'full'))
  const decisions: Action[] = []
  let count = 0
  for (const one of all) {
    const effect = await decide(one)
    if (effect === null) break
    if (effect === undefined) continue
    decisions.push(...decisionOf(one, effect))
    count++
  }
  if (count > 0) {
    const path = reviewFile(name)
    const earlier = await readDecisions(join(specsFolder, path))
    await commit(name, { [path]: decisionsToYaml(name, [...earlier, ...decisions]) })
  }
  console.log(`${name}: ${count} decisions recorded, ${all.length - count} effects stay assumed.`)
}

/** Prompts for each operation, at a terminal or line by line from a pipe. */
function createQuestions() {
  const lines = createInterface({ input: process.stdin })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (one: Assumed): Promise<string | undefined | null> => {
    process.stdout.write(`\n${one.title}\n  ${one.name}: ${one.summary}\n  ${one.effect}? [r/w/d/Enter/s/q] `)
    for (;;) {
      const { value, done } = await answers.next()
      const answer = done ? 'q' : String(value).trim().toLowerCase()
      if (answer === 'q') return null
      if (answer === 's') return undefined
      const effect = answer === '' ? one.effect : letters[answer]
      if (effect !== undefined) return effect
      process.stdout.write('  r, w, d, Enter, s or q? ')
    }
  }
  return { ask, close: () => lines.close() }
}

/** Returns the effects from `--set`, by the name of the operation. */
function readSettings(set: readonly string[]): Map<string, string> {
  return new Map(
    set.map((text): [string, string] => {
      const [, name, stated] = /^([a-z0-9-]+)=(.+)$/.exec(text) ?? []
      const effect = effects.find((one) => one === stated)
      if (name === undefined || effect === undefined)
        throw new RangeError(
          `Invalid --set ${JSON.stringify(text)}: expected NAME=read, NAME=write or NAME=destructive.`,
        )
      return [name, effect]
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
        console.log(`${name}\t${one.effect}\t${one.name}\t${one.title}\t${one.summary}`)
    return
  }
  const settings = readSettings(values.set ?? [])
  if (settings.size > 0) {
    const [name, ...more] = names
    if (name === undefined || more.length > 0) throw new RangeError(`--set needs one interface: ${usage}`)
    const known = new Set(assumedIn(await bundleContract(name, 'full')).map((one) => one.name))
    for (const setting of settings.keys())
      if (!known.has(setting)) throw new RangeError(`No effect of ${name} is assumed for ${setting}.`)
    return await review(name, async (one) => settings.get(one.name))
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
