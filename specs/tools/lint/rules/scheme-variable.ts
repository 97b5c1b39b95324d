import type { Rule, RuleContext } from '../rule.ts'

/** A security scheme names an environment variable. Every program reads the credential from this variable. */
export const schemeVariable: Rule = () => ({
  SecurityScheme(scheme: { 'x-variable'?: unknown }, { report, location }: RuleContext) {
    const variable = scheme['x-variable']
    if (typeof variable !== 'string' || !/^CDN_[A-Z][A-Z0-9_]*$/.test(variable))
      report({
        message: `\`x-variable\` must name the variable of the credential, such as \`CDN_ACCESS_KEY\`.`,
        location: variable === undefined ? location.key() : location.child('x-variable'),
      })
  },
})
