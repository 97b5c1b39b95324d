import type { Context, Rule } from '../rule.ts'

const importHint = '`pnpm generate --import FILE` fills it in for a contract that others wrote.'

/** What an operation must say in our own words, and how to say it. */
const words: Readonly<Record<string, string>> = {
  'x-name': `its name in kebab-case, such as \`delete-watermark\`: commands, handlers and ids are made of it. ${importHint}`,
  'x-effect': `\`read\` where it changes nothing, \`destructive\` where something is lost, else \`write\`: retries and prompts follow it. ${importHint}`,
}

/** Every operation has its `x-name` and its `x-effect`. */
export const operationWords: Rule = () => ({
  Operation(operation: Readonly<Record<string, unknown>>, { report, location }: Context) {
    for (const [word, meaning] of Object.entries(words))
      if (operation[word] === undefined)
        report({ message: `\`${word}\` is missing: ${meaning}`, location: location.key() })
  },
})
