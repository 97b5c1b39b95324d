import type { Rule, RuleContext } from '../rule.ts'

/** extensions.ts must list each key that starts with `x-`, for its place. Otherwise a typo would stay unnoticed. */
export const knownExtension: Rule = () => ({
  any(node: unknown, { type, report, location }: RuleContext) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    if (type.name === 'SchemaProperties') return // a field of a body may have any name
    for (const key of Object.keys(node).filter((key) => key.startsWith('x-') && !Object.hasOwn(type.properties, key)))
      report({
        message: `\`${key}\` is not an extension of the contract here; README.md lists the extensions and their places.`,
        location: location.child(key).key(),
      })
  },
})
