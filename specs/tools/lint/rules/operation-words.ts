import type { Rule, RuleContext } from '../rule.ts'

const importHint = '`pnpm import-contract FILE --as NAME` sets it in imported contracts.'

/** The required extensions of an operation, with their meaning. */
const words: Readonly<Record<string, string>> = {
  'x-name': `its name in kebab-case, such as \`delete-watermark\`: commands, handlers and ids contain it. ${importHint}`,
  'x-effect': `\`read\` if it changes nothing, \`destructive\` if it deletes something, otherwise \`write\`: retries and prompts depend on it. ${importHint}`,
}

/** Every operation has `x-name` and `x-effect`. */
export const operationWords: Rule = () => ({
  Operation(operation: Readonly<Record<string, unknown>>, { report, location }: RuleContext) {
    for (const [word, meaning] of Object.entries(words))
      if (operation[word] === undefined)
        report({ message: `\`${word}\` is missing: ${meaning}`, location: location.key() })
  },
})
