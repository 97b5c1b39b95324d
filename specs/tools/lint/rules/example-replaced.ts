import { examplePrefix } from '../../scaffold/area-file.ts'
import type { Rule, RuleContext } from '../rule.ts'

/** The example of a new area must be replaced. */
export const exampleReplaced: Rule = () => ({
  Operation({ 'x-name': name }: { 'x-name'?: unknown }, { report, location }: RuleContext) {
    if (typeof name === 'string' && name.startsWith(examplePrefix))
      report({
        message: `\`${name}\` is the example of \`pnpm new-area\`; replace it with an operation of the spec.`,
        location: location.child('x-name'),
      })
  },
})
