import tab from '@bomb.sh/tab/commander'
import { terminalText } from '@cdn/kit/text'
import { decideTarget } from '../../target/platform.ts'
import { type Env, readProfiles } from '../../target/profiles.ts'
import { accountOf, readZones } from '../../target/zones.ts'
import type { Program } from './create-program.ts'
import { optionsOf, sharedOptions } from './declaration.ts'
import type { ValueType } from './value-type.ts'

/** Let the shell complete file names, or not (directives of cobra's protocol, which `@bomb.sh/tab` implements). */
const [filesDirective, noFilesDirective] = [':0', ':4']

/**
 * Prints the suggestions for a command line. Each line has a suggestion, a tab and a description.
 *
 * @param program of the words before the last one
 * @param words the word that the user is typing, and the word before it
 * @param env selects the account whose zones are suggested
 */
export async function complete(
  { program, path, line, named }: Program,
  { before, typed }: { readonly before: string | undefined; readonly typed: string },
  env: Env,
): Promise<void> {
  const options = Object.entries({ ...sharedOptions, ...(named && optionsOf(named.declaration)) })
  const option = options.find(([name, { short }]) => before === `--${name}` || before === `-${short}`)?.[1]
  if (option?.value?.completes === 'file') {
    console.log(filesDirective)
    return
  }
  if (option?.value) {
    const values = await valuesOf(option.value, env)
    for (const [value, text] of values) if (value.startsWith(typed)) console.log(`${value}\t${text}`)
    console.log(noFilesDirective)
    return
  }
  const completion = tab(program)
  // Shell scripts call `complete`; users do not, so it is not suggested.
  completion.commands.delete('complete')
  const suggested = [...(completion.commands.get(path.join(' '))?.arguments.values() ?? [])]
  for (const [index, { value }] of Object.values(named?.declaration.arguments ?? {}).entries()) {
    const values = await valuesOf(value, env)
    if (suggested[index]) {
      suggested[index].handler = (suggest) => {
        for (const [word, text] of values) suggest(word, text)
      }
    }
  }
  completion.parse([...line, typed])
}

/** A text without characters that a shell expands. bash evaluates each suggestion (`compgen -W`), zsh inserts it as it is. */
const literal = /^[\w.,:@%+=/-]+$/

/** Suggested values with their descriptions, which may be names that others chose. */
async function valuesOf(type: ValueType<unknown>, env: Env): Promise<readonly (readonly [string, string])[]> {
  const values = await knownValues(type, env).catch(() => [])
  return values.flatMap(([value, text]) => (literal.test(value) ? [[value, terminalText(text)] as const] : []))
}

/** Zones come from the cache: completion never sends a request. */
async function knownValues({ choices = [], completes }: ValueType<unknown>, env: Env) {
  if (completes === 'profile') return Object.keys(await readProfiles(env)).map((name) => [name, ''] as const)
  if (completes !== 'zone') return choices.map((choice) => [choice, ''] as const)
  const zones = await readZones(env, accountOf(await decideTarget(env, undefined)))
  return zones.flatMap(({ id, name }) => [[name, String(id)] as const, [String(id), name] as const])
}
