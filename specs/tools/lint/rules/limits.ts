import type { Location, Rule, RuleContext } from '../rule.ts'

/** A positive ISO 8601 duration in whole days, hours, minutes and seconds. */
const duration = /^P(?=.*[1-9])(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/

/** `x-rate-limit` and `x-retention` state durations. A rate limit names a path parameter of an operation in `per`. */
export const limits: Rule = () => {
  const parameters = new Set<string>()
  const counted: { per: string; at: Location }[] = []
  const checkRetention = (node: { 'x-retention'?: unknown }, { report, location }: RuleContext): void => {
    const retention = node['x-retention']
    if (typeof retention === 'string' && !duration.test(retention))
      report({
        message: `\`${retention}\` is not a duration such as \`P3D\`.`,
        location: location.child('x-retention'),
      })
  }
  return {
    Operation: checkRetention,
    Parameter(parameter: { name: string; in: string }) {
      if (parameter.in === 'path') parameters.add(parameter.name)
    },
    RateLimit({ window, per }: { window?: unknown; per?: unknown }, { report, location }: RuleContext) {
      if (typeof window === 'string' && !duration.test(window))
        report({ message: `\`${window}\` is not a duration such as \`PT10S\`.`, location: location.child('window') })
      if (typeof per === 'string') counted.push({ per, at: location.child('per') })
    },
    Root: {
      enter: checkRetention,
      leave(_root: unknown, { report }: RuleContext) {
        for (const { per, at } of counted)
          if (!parameters.has(per)) report({ message: `No operation has a path parameter \`${per}\`.`, location: at })
      },
    },
  }
}
