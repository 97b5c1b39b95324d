import type { Group, Option } from '../../command/command.ts'
import { allCommands } from '../../command/find.ts'
import { optionsOf } from '../../command/shared-options.ts'
import type { ValueType } from '../../command/value-type.ts'

/** A word that may come next. */
export interface Word {
  readonly word: string
  readonly meaning: string
}

/** An option, as a shell completes it. */
export interface CompletedOption {
  readonly name: string
  readonly short: string | undefined
  readonly meaning: string
  /** Undefined where it takes no value; else what the value may be. */
  readonly value: Pick<ValueType<unknown>, 'choices' | 'completes'> | undefined
}

/** What can be typed after some words of the tree. */
export interface CompletionNode {
  /** The words, joined by spaces; empty for the root. */
  readonly path: string
  readonly isGroup: boolean
  readonly words: readonly Word[]
  readonly options: readonly CompletedOption[]
}

/** The tree as the shells need it. */
export async function completionNodes(root: Group): Promise<CompletionNode[]> {
  const nodes: CompletionNode[] = []
  for await (const { path, entry } of allCommands(root)) {
    if (entry.kind === 'group') {
      const entries = await entry.load()
      const words = entries.map(({ name, summary }) => ({ word: name, meaning: summary }))
      nodes.push({
        path: path.join(' '),
        isGroup: true,
        words,
        options: [toOption('help', { summary: 'Show help', short: 'h' })],
      })
      continue
    }
    const choices = Object.values(entry.arguments)[0]?.value.choices ?? []
    nodes.push({
      path: path.join(' '),
      isGroup: false,
      words: choices.map((word) => ({ word, meaning: '' })),
      options: entry.isOpen ? [] : Object.entries(optionsOf(entry)).map(([name, option]) => toOption(name, option)),
    })
  }
  return nodes
}

function toOption(name: string, { short, summary, value }: Option): CompletedOption {
  return { name, short, meaning: summary, value }
}
