import type { Report } from '../exchange/report-model.ts'
import { minuteText, operationText, ordinal, plural } from '../exchange/text.ts'
import { causeLine } from './cause-text.ts'

/** Returns one line per change since the last complete run, and per cause that is still open. The text of the target is not escaped. */
export function changeLines({ changes, causes, startedAt }: Report): string[] {
  if (!changes) return []
  const { broke, fixed, undecided, inARow = 0, since, before } = changes
  const still = causes.filter(({ id, since: start, reason }) => !reason && !broke.includes(id) && start !== startedAt)
  const nth = `This is the ${ordinal(inARow)} run in a row without a result, since ${minuteText(since ?? startedAt)}.`
  const last =
    before === undefined ? 'No run was complete before.' : `The last complete run began at ${minuteText(before)}.`
  return [
    ...(inARow > 1 ? [nth] : []),
    ...(inARow > 0 ? [last] : []),
    ...causes.filter(({ id }) => broke.includes(id)).map((cause) => `New: ${causeLine(cause)}`),
    ...fixed.map((one) => `Fixed: ${operationText(one.operation)}: ${one.seen} (since ${minuteText(one.since)})`),
    ...still.map(
      (one) => `Still: ${operationText(one.operation)}: ${one.seen} (since ${minuteText(one.since ?? startedAt)})`,
    ),
    ...(undecided.length > 0
      ? [`Undecided now, but not before: ${plural(undecided.length, 'sentence')}: ${undecided.join(', ')}`]
      : []),
  ]
}
