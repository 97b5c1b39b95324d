import { plural } from '@cdn/kit/plural'
import { minuteText, operationText, ordinal } from '../exchange/format-text.ts'
import type { Report } from '../exchange/report-model.ts'
import type { RememberedCause } from '../verdict/changes.ts'
import { causeClause, causeTitle } from './cause-text.ts'

/**
 * Returns lines by kind: one per change since the last run with a result, and one per cause that is still there or undecided. The text of
 * the target is not escaped. A report that is not compared with other runs has no lines.
 */
export function changeLines({ changes, causes, requirements, startedAt }: Report) {
  const { broke = [], fixed = [], open = [], undecided = [], inARow = 0, since = startedAt, before } = changes ?? {}
  const nth = `This is the ${ordinal(inARow)} run in a row without a result, since ${minuteText(since)}.`
  const last =
    before === undefined ? 'No earlier run had a result.' : `The last run with a result began at ${minuteText(before)}.`
  const reasons = Map.groupBy(
    requirements.filter(({ id }) => undecided.includes(id)),
    ({ reason = 'no check of this run covers it' }) => reason,
  )
  const still = causes.flatMap(({ since = startedAt, ...cause }) =>
    cause.reason || since === startedAt || broke.includes(cause.id)
      ? []
      : { ...cause, since, seen: causeClause(cause) },
  )
  return {
    row: [...(inARow > 1 ? [nth] : []), ...(inARow > 0 ? [last] : [])],
    new: causes.filter(({ id }) => broke.includes(id)).map((cause) => `New: ${causeTitle(cause)}`),
    fixed: fixed.map((one) => `Fixed: ${pastLine(one)}`),
    undecided: [...reasons].map(
      ([reason, some]) => `Undecided now, but not before: ${plural(some.length, 'sentence')}: ${reason}`,
    ),
    still: still.map((one) => `Still: ${pastLine(one)}`),
    open: open.map((one) => `Open, not decided by this run: ${pastLine(one)}`),
  }
}

/** The line that stands for the lines beyond a maximum. */
export function moreText(count: number): string {
  return `${count} more: see the report.`
}

function pastLine({ operation, seen, since }: Pick<RememberedCause, 'operation' | 'seen' | 'since'>): string {
  return `${operationText(operation)}: ${seen} (since ${minuteText(since)})`
}
