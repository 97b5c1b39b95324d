import type { NodeType, Rule, RuleContext } from '../rule.ts'

/** extensions.ts must list each key that starts with `x-`, for its place. Otherwise a typo would stay unnoticed. */
export const knownExtension: Rule = () => ({
  any(node: unknown, { type, report, location }: RuleContext) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    for (const [key, value] of Object.entries(node)) {
      if (!key.startsWith('x-') || Object.hasOwn(type.properties, key) || isName(type, key, value)) continue
      report({
        message: `\`${key}\` is not an extension of the contract here; README.md lists the extensions and their places.`,
        location: location.child(key).key(),
      })
    }
  },
})

/** Whether a key is a free name: of a field of a body, a header or a component. */
function isName({ additionalProperties: map }: NodeType, key: string, value: unknown): boolean {
  return (typeof map === 'function' ? map(value, key) : map) !== undefined
}
