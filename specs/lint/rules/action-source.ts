import type { Context, Rule } from '../rule.ts'

/** Each action of an overlay says where its fact comes from and how certain it is. */
export const actionSource: Rule = () => ({
  Action(action: { 'x-source'?: unknown }, { report, location }: Context) {
    const source = action['x-source']
    if (typeof source === 'string' && !/\w.*\[[ABCD]\]/.test(source))
      report({
        message: `The source \`${source}\` names no certainty: [A] published, [B] seen live, [C] third-party code, [D] inference.`,
        location: location.child('x-source'),
      })
  },
})
