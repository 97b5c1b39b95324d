import tab from '@bomb.sh/tab/commander'
import { kebabCase } from '@cdn/kit/case'
import { terminalText } from '@cdn/kit/text'
import { decideTarget } from '../../target/platform.ts'
import { type Env, readProfiles } from '../../target/profiles.ts'
import { accountOf, readZones } from '../../target/zones.ts'
import type { Program } from './create-program.ts'
import { optionsOf, sharedOptions } from './declaration.ts'
import type { ValueType } from './value-type.ts'

/**
 * Prints the suggestions for a command line. Each line has a suggestion, a tab and a description.
 *
 * @param program of the words before the last one
 * @param words the command line; the user is typing the last word
 * @param env selects the account whose zones are suggested
 */
export async function complete({ program, path, named }: Program, words: readonly string[], env: Env): Promise<void> {
  const options = Object.entries(named ? optionsOf(named.declaration) : sharedOptions)
  const before = words.at(-2)
  const option = options.find(([name, { short }]) => before === `--${name}` || before === `-${short}`)?.[1]
  if (option?.value?.completes === 'file') {
    // The shell completes file names (a directive of cobra's protocol, which `@bomb.sh/tab` implements).
    console.log(':0')
    return
  }
  const completion = tab(program)
  // Shell scripts call `complete`; users do not, so it is not suggested.
  completion.commands.delete('complete')
  const command = completion.commands.get(path.join(' ')) ?? completion
  for (const [name, { value, summary, short }] of options)
    if (value) command.option(name, summary, await suggest(value, env), short)
  for (const [name, { value }] of Object.entries(named?.declaration.arguments ?? {}))
    command.argument(kebabCase(name), await suggest(value, env))
  completion.parse([...words])
}

/** A text without characters that a shell expands. bash evaluates each suggestion (`compgen -W`), zsh inserts it as it is. */
const literal = /^[\w.,:@%+=/-]+$/

/** @returns a function that suggests the values of a type, with their descriptions. These may be names that others chose */
async function suggest(type: ValueType<unknown>, env: Env) {
  const values = await knownValues(type, env).catch(() => [])
  return (add: (value: string, description: string) => void) => {
    for (const [value, text] of values) if (literal.test(value)) add(value, terminalText(text))
  }
}

/** Zones come from the cache: completion never sends a request. */
async function knownValues({ choices = [], completes }: ValueType<unknown>, env: Env) {
  if (completes === 'profile') return Object.keys(await readProfiles(env)).map((name) => [name, ''] as const)
  if (completes !== 'zone') return choices.map((choice) => [choice, ''] as const)
  const zones = await readZones(env, accountOf(await decideTarget(env, undefined)))
  return zones.flatMap(({ id, name }) => [[name, String(id)] as const, [String(id), name] as const])
}
