import type { Rule, RuleContext } from '../rule.ts'

/** extensions.ts must list each key that starts with `x-`, for its place. Otherwise a typo would stay unnoticed. */
export const knownExtension: Rule = () => ({
  any(node: unknown, { type, report, location }: RuleContext) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { properties, additionalProperties: map } = type
    for (const [key, value] of Object.entries(node)) {
      // A key is a free name in a map: a field of a body, a header or a component.
      const isName = (typeof map === 'function' ? map(value, key) : map) !== undefined
      if (!key.startsWith('x-') || Object.hasOwn(properties, key) || isName) continue
      report({
        message: `\`${key}\` is not an extension of the contract here; README.md lists the extensions and their places.`,
        location: location.child(key).key(),
      })
    }
  },
})
