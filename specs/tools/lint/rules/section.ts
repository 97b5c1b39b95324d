import type { Rule, RuleContext, Visit } from '../rule.ts'

const check: Visit<{ section?: unknown }> = ({ section }, { report, location }: RuleContext) => {
  if (typeof section === 'string' && !/^([1-9]|4\.[1-9]\d*)$/.test(section))
    report({
      message: `\`${section}\` is not a section of the spec: expected 1 to 9, or 4.1, 4.2 and so on.`,
      location: location.child('section'),
    })
}

/** `section` is a section number of the spec. This rule does not apply to the supplement, whose entries have headings. */
export const section: Rule = () => ({ Requirement: check, OpenPoint: check })
