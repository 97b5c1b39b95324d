/** Judges each exchange of a run by the rules of its operation. The check of a rule sends the cases that the rule names. */

import type { Operation } from '@cdn/api/contract'
import { repeat } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { Failure, NothingToJudge, seenOnce } from '../exchange/failure.ts'
import { type ChecksOf, type Decides, decide } from '../exchange/requirements.ts'
import { applyRule, type Rule } from '../rules/rule.ts'
import { rulesOf } from '../rules/rules.ts'
import { type PlainCase, plainCases } from './plain-cases.ts'

/** Returns the checks of the rules: one per rule, or one per case if an id of the rule ends with `/<case>`. */
export const ruleChecks: ChecksOf = (operation) => {
  const cases = plainCases(operation)
  return (rulesOf.get(operation) ?? []).flatMap(({ rule }) => {
    const names = rule.cases.filter((name) => cases[name])
    const isEach = [rule.decides].flat().some((pattern: Decides) => pattern.endsWith('/<case>'))
    const groups = isEach ? names.map((name) => [name]) : names.length > 0 ? [names] : []
    return groups.map((group) => {
      const all: Partial<PlainCase> = Object.assign({}, ...group.map((name) => cases[name]))
      const { send: _, ...details } = all
      const run = (context: CheckContext) => verify(context, operation, rule, group)
      return decide(operation, {
        decides: rule.decides,
        values: { ...rule.values, case: group.join('-') },
        sends: group,
        ...details,
        run,
      })
    })
  })
}

async function verify(
  context: CheckContext,
  operation: Operation,
  rule: Rule,
  names: readonly string[],
): Promise<void> {
  const { fixtures } = context
  const cases = plainCases(operation)
  const statuses = new Set<number>()
  let isSeen = false
  for (const name of names) {
    const plain = cases[name]
    const answers = plain ? await context.once(`case ${name} of ${operation.name}`, () => plain.send(context)) : []
    for (const answer of answers) {
      const exchange: Exchange = { ...answer.sent, response: answer }
      statuses.add(answer.status)
      if (!rule.applies(exchange, { fixtures })) continue
      isSeen = true
      const violation = applyRule(rule, exchange, { fixtures })
      if (!violation) continue
      const isRepeatable = answer.sent.method === 'GET' && !plain?.burst && !plain?.wrongKey
      const again = isRepeatable ? await repeat(context, answer).catch(() => undefined) : undefined
      const isOnce = again && !applyRule(rule, { ...again.sent, response: again }, { fixtures })
      throw new Failure(violation.expected, isOnce ? seenOnce(violation.seen) : violation.seen, { responses: [answer] })
    }
  }
  if (!isSeen)
    throw new NothingToJudge(
      `inconclusive: no response shows it (${[...statuses].map((status) => `status ${status}`).join(', ')})`,
    )
}
