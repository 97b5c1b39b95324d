import type { Rule, RuleContext } from '../rule.ts'

/** Each action of an overlay states the origin and certainty of its fact. */
export const actionSource: Rule = () => ({
  Action(action: { 'x-source'?: unknown }, { report, location }: RuleContext) {
    const source = action['x-source']
    if (typeof source === 'string' && !/\w.*\[[ABCD]\]/.test(source))
      report({
        message: `The source \`${source}\` has no certainty: [A] published, [B] observed live, [C] third-party code, [D] inference.`,
        location: location.child('x-source'),
      })
  },
})
