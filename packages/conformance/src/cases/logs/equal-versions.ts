/** Checks that a version of the logs shows rows where the other one shows any, and that the rows of version 2 do not change. */
import { assertDefined } from '@cdn/kit/assert-defined'
import type { CheckContext } from '../../exchange/check.ts'
import { expect, ignoreSkip, Skip, value, wrong } from '../../exchange/failure.ts'
import { timeOfLine } from '../../exchange/log-rows.ts'
import { type ChecksOf, type Decision, decide } from '../../exchange/requirements.ts'
import { changedField, itemsOnlyInFirst } from './compare-rows.ts'
import { readRange, referenceOf } from './reference.ts'
import { queryLogs, rangeQuery, readFileLines, shownDay } from './rows.ts'

export const equalVersionChecks: ChecksOf = (operation) => {
  const check = checks[operation.name]
  return check ? [decide(operation, { needs: ['loggedZoneId', 'credentials.accessKey'], ...check })] : []
}

/** Checks that version 2 shows rows, and that they do not change afterwards. */
async function verifyRows(context: CheckContext): Promise<void> {
  await verifyShown(context)
  await verifyLasting(context).catch(ignoreSkip)
}

/** Time in ms after which rows of a closed range are read again. */
const lastingMs = 30_000

/** Checks that the rows of a closed range are still there, and the same, when the range is read again. */
async function verifyLasting(context: CheckContext): Promise<void> {
  const reference = await referenceOf(context)
  await context.wait(lastingMs)
  const again = await readRange(context, reference)
  const [gone, added] = [itemsOnlyInFirst(reference.items, again), itemsOnlyInFirst(again, reference.items)]
  const seen = changedField(gone, added) ?? wrong('rows of a closed range are gone')
  expect(gone.length === 0, value('the same rows as before'), seen)
}

/** Checks that version 2 shows rows in its default range, or else a request that version 1 shows. */
async function verifyShown(context: CheckContext): Promise<void> {
  if ((await queryLogs(context, {})).rows.length > 0) return
  const time = timeOfLine(assertDefined((await shownDay(context)).lines[0]))
  const { rows } = await queryLogs(context, rangeQuery(time - 1, time + 2))
  expect(
    rows.length > 0,
    value('a row that version 1 shows'),
    wrong('version 2 lacks a row that the log file (version 1) shows'),
  )
}

/**
 * Checks that the file of a day has lines if version 2 shows a row of that day with a status of 200 or more: such rows are in a file
 * by default (supplement).
 */
async function verifyLines(context: CheckContext): Promise<void> {
  const { items } = await referenceOf(context)
  const shown = items.find(({ row }) => Number(row['statusCode']) >= 200)
  if (!shown) throw new Skip('no row that a file must show')
  const lines = await readFileLines(context, new Date(shown.time), { end: '10' })
  expect(lines.length > 0, value('lines of a day with traffic'), wrong('the file has no lines'))
}

const checks: Readonly<Record<string, Decision>> = {
  'query-logs': { decides: '<interface>.service.raw-logs', basis: 'supplement', run: verifyRows },
  'read-log-file': { decides: '<interface>.service.raw-logs', run: verifyLines },
}
