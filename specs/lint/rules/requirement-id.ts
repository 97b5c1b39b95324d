import { basename, dirname } from 'node:path'
import type { Context, Rule, Visit } from '../rule.ts'

/**
 * The id of a requirement or of an open point is `<interface>.<operation or topic>.<status or slug>` and stands once in an
 * interface. Reports, mutants and lists of known failures hold on to it. The interface is the name of the file's folder.
 */
export const requirementId: Rule = () => {
  const seen = new Set<string>()
  const check: Visit<{ id?: unknown }> = ({ id }, { report, location }: Context) => {
    if (typeof id !== 'string') return // `struct` says so
    const at = location.child('id')
    const folder = basename(dirname(location.source.absoluteRef))
    if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/.test(id) || !id.startsWith(`${folder}.`))
      report({
        message: `\`${id}\` is not of the form \`${folder}.<operation or topic>.<status or slug>\`.`,
        location: at,
      })
    if (seen.has(id)) report({ message: `\`${id}\` is taken already; an id is used once.`, location: at })
    seen.add(id)
  }
  return { Requirement: check, OpenPoint: check }
}
