import type { Rule, RuleContext } from '../rule.ts'

/** `x-scopes` names at least one scope, each once. An operation without scopes omits the key. */
export const scopes: Rule = () => ({
  Operation(operation: { 'x-scopes'?: readonly string[] }, { report, location }: RuleContext) {
    const stated = operation['x-scopes']
    if (!Array.isArray(stated)) return
    const at = location.child('x-scopes')
    if (stated.length === 0)
      report({ message: '`x-scopes` is empty; name the scopes or leave the key out.', location: at })
    for (const scope of new Set(stated.filter((scope, index) => stated.indexOf(scope) !== index)))
      report({ message: `The scope \`${scope}\` is listed twice.`, location: at })
  },
})
