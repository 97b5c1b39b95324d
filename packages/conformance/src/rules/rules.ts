/** All rules, and the judgement of an exchange by the rules of its operation. */
import { operations } from '@cdn/api/contract'
import type { CheckedRequirement } from '../exchange/check.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { type Decides, requirementOf } from '../exchange/requirements.ts'
import { bodyRules } from './bodies.ts'
import { logRules } from './logs.ts'
import { applyRule, type Rule, type RuleViolation, type TargetFacts } from './rule.ts'
import { statusRules } from './statuses.ts'

export const rules: readonly Rule[] = [...statusRules, ...bodyRules, ...logRules]

/** The rules of each operation, with the requirements that they decide. */
export const rulesOf = new Map(
  operations.map((operation) => [
    operation,
    rules.filter((rule) => rule.of(operation)).map((rule) => ({ rule, requirement: requirementOf(operation, rule) })),
  ]),
)

/** Returns the violations of an exchange, each with the requirement that it breaks. */
export function violationsOf(
  exchange: Exchange,
  known: TargetFacts,
): (RuleViolation & { readonly requirement: CheckedRequirement; readonly decides: Decides | undefined })[] {
  return (rulesOf.get(exchange.operation) ?? []).flatMap(({ rule, requirement }) => {
    const violation = applyRule(rule, exchange, known)
    return violation ? [{ ...violation, requirement, decides: [rule.decides].flat()[0] }] : []
  })
}
