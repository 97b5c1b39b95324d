import type { Rule, RuleContext } from '../rule.ts'

/** `x-name` is kebab-case and unique within an interface, because commands and requirement ids contain it. */
export const operationName: Rule = () => {
  const seen = new Set<string>()
  return {
    Operation(operation: { 'x-name'?: unknown }, { report, location }: RuleContext) {
      const name = operation['x-name']
      if (typeof name !== 'string') return // `struct` reports it
      const at = location.child('x-name')
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
        report({ message: `\`${name}\` is not kebab-case, such as \`delete-watermark\`.`, location: at })
      if (seen.has(name))
        report({ message: `\`${name}\` is already the name of another operation; names are unique.`, location: at })
      seen.add(name)
    },
  }
}
