import { examplePrefix } from '../../scaffold/area-file.ts'
import type { Context, Rule } from '../rule.ts'

/** The example of a new area is not left in the contract. */
export const exampleReplaced: Rule = () => ({
  Operation({ 'x-name': name }: { 'x-name'?: unknown }, { report, location }: Context) {
    if (typeof name === 'string' && name.startsWith(examplePrefix))
      report({
        message: `\`${name}\` is the example that \`pnpm new-area\` made; put an operation of the document in its place.`,
        location: location.child('x-name'),
      })
  },
})
