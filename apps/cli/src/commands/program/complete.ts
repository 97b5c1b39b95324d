import tab from '@bomb.sh/tab/commander'
import { decideTarget } from '../../target/target.ts'
import type { Env } from '../../target/user-folder.ts'
import { accountOf, readZones, type Zone } from '../../target/zone-cache.ts'
import type { Program } from './create-program.ts'
import { optionsOf } from './shared-options.ts'

/** Lets the shell complete file names (a directive of cobra's protocol, which `@bomb.sh/tab` implements). */
const filesDirective = ':0'

/**
 * Prints the suggestions for a command line. Each line has a suggestion, a tab and a description.
 *
 * @param words the command line, without the name of the program; the user is typing the last word
 * @param env selects the account whose zones are suggested
 */
export async function complete({ program, path, named }: Program, words: readonly string[], env: Env): Promise<void> {
  const before = words.at(-2)
  const options = named ? Object.entries(optionsOf(named)) : []
  const option = options.find(([name, { short }]) => before === `--${name}` || before === `-${short}`)?.[1]
  if (option?.value?.completes === 'file') {
    console.log(filesDirective)
    return
  }
  const completion = tab(program)
  // Shell scripts call `complete`; users do not, so it is not suggested.
  completion.commands.delete('complete')
  const suggested = [...(completion.commands.get(path.join(' '))?.arguments.values() ?? [])]
  for (const [index, { value }] of Object.values(named?.arguments ?? {}).entries()) {
    const argument = suggested[index]
    if (!argument || value.completes !== 'zone') continue
    const zones = await cachedZones(env)
    argument.handler = (suggest) => {
      for (const { id, name } of zones) {
        suggest(name, String(id))
        suggest(String(id), name)
      }
    }
  }
  completion.parse([...words])
}

/** Only cached zones: completion never sends a request. */
async function cachedZones(env: Env): Promise<readonly Zone[]> {
  try {
    return await readZones(env, accountOf(await decideTarget(env, undefined)))
  } catch {
    return []
  }
}
