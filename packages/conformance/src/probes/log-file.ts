import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { need, Skip } from '../failure.ts'
import { readFileLines, sample, timeOf } from '../logs.ts'
import { dayOf, operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { seenAnswer } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
const dayMs = 86_400_000

/** What version 1 of the logging interface does where nobody says what it should. */
export const logFileProbes: readonly Probe[] = [
  {
    name: 'logging.read-log-file.lines',
    points: ['logging.read-log-file.path', 'logging.read-log-file.end', 'logging.read-log-file.past-end'],
    effect: 'read',
    needs,
    look: async (context) => {
      const day = await dayWithTraffic(context)
      const lines = await readFileLines(context, day, { sort: 'asc', end: '50' })
      const cut = await readFileLines(context, day, { sort: 'asc', start: '0', end: '1' })
      const pastEnd = await readFile(context, day, { start: '1000000000' })
      if (lines.length < 3) throw new Skip('the day has too few lines')
      const lengths = [...new Set(lines.map((line) => line.split('|').length))].sort((a, b) => a - b)
      return {
        'logging.read-log-file.path': { 'fields of a line': lengths },
        'logging.read-log-file.end': cut.length === 1 ? 'exclusive' : 'inclusive',
        'logging.read-log-file.past-end': pastEnd.status,
      }
    },
  },
  {
    name: 'logging.read-log-file.old-day',
    points: ['logging.read-log-file.old-day'],
    effect: 'read',
    needs,
    look: async (context) => {
      const answer = await readFile(context, new Date(context.now().getTime() - 30 * dayMs), { end: '1' })
      return { 'logging.read-log-file.old-day': answer.status }
    },
  },
  {
    name: 'logging.read-log-file.error-body',
    points: ['logging.read-log-file.error-body'],
    effect: 'read',
    needs: ['unloggedZoneId', 'credentials.accessKey'],
    look: async (context) => {
      const pullZoneId = need(context.fixtures.unloggedZoneId, 'unloggedZoneId')
      const answer = await call(context, operationOf('read-log-file'), { path: { pullZoneId } })
      return { 'logging.read-log-file.error-body': seenAnswer(answer) }
    },
  },
]

function readFile(context: CheckContext, day: Date, query: Record<string, string>) {
  return call(context, operationOf('read-log-file'), { path: { date: dayOf(day) }, query })
}

async function dayWithTraffic(context: CheckContext): Promise<Date> {
  const last = (await sample(context)).rows.at(-1)
  if (!last) throw new Skip('the zone has no traffic')
  return new Date(timeOf(last))
}
