import type { Context, Rule, Visit } from '../rule.ts'

const check: Visit<{ section?: unknown }> = ({ section }, { report, location }: Context) => {
  if (typeof section === 'string' && !/^([1-9]|4\.[1-9]\d*)$/.test(section))
    report({
      message: `\`${section}\` is no section of the document: it has 1 to 9, and 4 is divided into 4.1, 4.2 and so on.`,
      location: location.child('section'),
    })
}

/** `section` is a section number of the source document. Entries of the supplement name a heading instead. */
export const section: Rule = () => ({ Requirement: check, OpenPoint: check })
