import type { Context, Rule } from '../rule.ts'

/** `x-name` is kebab-case and unique within an interface: commands and requirement ids are made of it. */
export const operationName: Rule = () => {
  const seen = new Set<string>()
  return {
    Operation(operation: { 'x-name'?: unknown }, { report, location }: Context) {
      const name = operation['x-name']
      if (typeof name !== 'string') return // `struct` says so
      const at = location.child('x-name')
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
        report({ message: `\`${name}\` is not kebab-case, such as \`delete-watermark\`.`, location: at })
      if (seen.has(name))
        report({ message: `\`${name}\` names another operation already; a name is used once.`, location: at })
      seen.add(name)
    },
  }
}
