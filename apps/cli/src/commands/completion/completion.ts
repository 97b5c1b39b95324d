import { root } from '../root.ts'
import { toBash } from './bash.ts'
import { toFish } from './fish.ts'
import { completionNodes } from './node.ts'
import { toZsh } from './zsh.ts'

const shells = { bash: toBash, zsh: toZsh, fish: toFish }

/** The script that teaches a shell the commands. */
export async function toCompletion(shell: keyof typeof shells): Promise<string> {
  return shells[shell](await completionNodes(root))
}
