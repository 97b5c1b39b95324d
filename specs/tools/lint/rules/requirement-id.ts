import { basename, dirname } from 'node:path'
import type { Rule, RuleContext, Visit } from '../rule.ts'

/**
 * The id of a requirement or of an unspecified point is `<interface>.<operation or topic>.<status or slug>`. It is unique in an
 * interface, because reports, mutants and lists of expected failures refer to it. The interface is the name of the file's folder.
 */
export const requirementId: Rule = () => {
  const seen = new Set<string>()
  const check: Visit<{ id?: unknown }> = ({ id }, { report, location }: RuleContext) => {
    if (typeof id !== 'string') return // `struct` reports it
    const at = location.child('id')
    const folder = basename(dirname(location.source.absoluteRef))
    if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/.test(id) || !id.startsWith(`${folder}.`))
      report({
        message: `\`${id}\` is not of the form \`${folder}.<operation or topic>.<status or slug>\`.`,
        location: at,
      })
    if (seen.has(id)) report({ message: `\`${id}\` is already used; ids are unique.`, location: at })
    seen.add(id)
  }
  return { Requirement: check, OpenPoint: check }
}
