import { plural } from '@cdn/kit/plural'
import type { Report } from '../exchange/report-model.ts'
import { minuteText, operationText, ordinal } from '../exchange/text.ts'
import type { RememberedCause } from '../verdict/changes.ts'
import { causeTitle, titleOf } from './cause-text.ts'

/**
 * Returns one line per change since the last run with a result, and per cause that is still there or that nothing has decided since. The
 * text of the target is not escaped.
 */
export function changeLines(report: Report): string[] {
  return [...newsLines(report), ...openLines(report)]
}

/** The lines that a later run cannot tell any more: what is new, fixed or undecided, and that there is no result. */
export function newsLines({ changes, causes, requirements, startedAt }: Report): string[] {
  if (!changes) return []
  const { broke, fixed, undecided, inARow = 0, since = startedAt, before } = changes
  const nth = `This is the ${ordinal(inARow)} run in a row without a result, since ${minuteText(since)}.`
  const last =
    before === undefined ? 'No earlier run had a result.' : `The last run with a result began at ${minuteText(before)}.`
  const reasons = Map.groupBy(
    requirements.filter(({ id }) => undecided.includes(id)),
    ({ reason = 'no check of this run covers it' }) => reason,
  )
  return [
    ...(inARow > 1 ? [nth] : []),
    ...(inARow > 0 ? [last] : []),
    ...causes.filter(({ id }) => broke.includes(id)).map((cause) => `New: ${causeTitle(cause)}`),
    ...fixed.map((one) => `Fixed: ${pastLine(one)}`),
    ...[...reasons].map(
      ([reason, some]) => `Undecided now, but not before: ${plural(some.length, 'sentence')}: ${reason}`,
    ),
  ]
}

function openLines({ changes, causes, startedAt }: Report): string[] {
  const still = causes.filter(({ id, since, reason }) => !reason && !changes?.broke.includes(id) && since !== startedAt)
  return [
    ...still.map((one) => `Still: ${pastLine({ ...one, seen: titleOf(one), since: one.since ?? startedAt })}`),
    ...(changes?.open ?? []).map((one) => `Open, not decided by this run: ${pastLine(one)}`),
  ]
}

function pastLine({ operation, seen, since }: Pick<RememberedCause, 'operation' | 'seen' | 'since'>): string {
  return `${operationText(operation)}: ${seen} (since ${minuteText(since)})`
}
