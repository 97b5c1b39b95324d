import type { Context, Rule } from '../rule.ts'

/** A key that starts with `x-` is one of those in extensions.ts, at its place: a typo would be taken in silence. */
export const knownExtension: Rule = () => ({
  any(node: unknown, { type, report, location }: Context) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    if (type.name === 'SchemaProperties') return // fields of a body are called as they like
    for (const key of Object.keys(node).filter((key) => key.startsWith('x-') && !Object.hasOwn(type.properties, key)))
      report({
        message: `\`${key}\` is none of the contract's words here; README.md lists them and where they stand.`,
        location: location.child(key).key(),
      })
  },
})
