import { dayMs } from '@cdn/kit/time'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { need, Skip } from '../../core/failure.ts'
import { maxSample, readFileLines, shownDay } from '../../core/logs.ts'
import { dayPath, operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { seenAnswer } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Records unspecified behaviour of version 1 of the logging interface. */
export const logFileProbes: readonly Probe[] = [
  {
    name: 'logging.read-log-file.lines',
    points: ['logging.read-log-file.path', 'logging.read-log-file.end', 'logging.read-log-file.past-end'],
    effect: 'read',
    needs,
    observe: async (context) => {
      const { day, lines } = await shownDay(context)
      const cut = await readFileLines(context, day, { sort: 'asc', start: '0', end: '1' })
      if (lines.length < 3) throw new Skip('the day has too few lines')
      const lengths = [...new Set(lines.map((line) => line.split('|').length))].sort((a, b) => a - b)
      const layouts = [...new Set(lines.map(layoutOf))].sort()
      // For a read beyond the end, the server may have to count all lines, so read beyond the end of a short file only.
      const pastEnd = lines.length < maxSample ? await readFile(context, day, { start: '1000000' }) : undefined
      return {
        'logging.read-log-file.path': { 'fields of a line': lengths, 'kinds of fields': layouts.slice(0, 5) },
        'logging.read-log-file.end': cut.length === 1 ? 'exclusive' : 'inclusive',
        ...(pastEnd && { 'logging.read-log-file.past-end': pastEnd.status }),
      }
    },
  },
  {
    name: 'logging.read-log-file.parameters',
    points: ['logging.read-log-file.parameters'],
    effect: 'read',
    needs,
    observe: async (context) => {
      const today = context.now()
      const statuses: Record<string, number> = {}
      for (const [name, value] of Object.entries(parameters))
        statuses[name] = (await readFile(context, today, { end: '1', [name]: value })).status
      return { 'logging.read-log-file.parameters': statuses }
    },
  },
  {
    name: 'logging.read-log-file.old-day',
    points: ['logging.read-log-file.old-day'],
    effect: 'read',
    needs,
    observe: async (context) => {
      const answer = await readFile(context, new Date(context.now().getTime() - 30 * dayMs), { end: '1' })
      return { 'logging.read-log-file.old-day': answer.status }
    },
  },
  {
    name: 'logging.read-log-file.error-body',
    points: ['logging.read-log-file.error-body'],
    effect: 'read',
    needs: ['unloggedZoneId', 'credentials.accessKey'],
    observe: async (context) => {
      const pullZoneId = need(context.fixtures.unloggedZoneId, 'unloggedZoneId')
      const answer = await call(context, operationOf('read-log-file'), { path: { pullZoneId } })
      return { 'logging.read-log-file.error-body': seenAnswer(answer) }
    },
  },
]

function readFile(context: CheckContext, day: Date, query: Record<string, string>) {
  return call(context, operationOf('read-log-file'), { path: dayPath(operationOf('read-log-file'), day), query })
}

/** A harmless value for each parameter that the supplement names, and for a parameter that does not exist. */
const parameters = { start: '0', sort: 'asc', status: '2', search: 'a', download: 'false', 'conformance-unknown': '1' }

/** Returns the kinds of a line's fields. They show a change of the layout, but contain no text of a visitor. */
function layoutOf(line: string): string {
  const kinds = line.split('|').map((field) => {
    if (field === '-') return '-'
    if (/^\d+$/.test(field)) return 'digits'
    return /^https?:/.test(field) ? 'URL' : 'text'
  })
  // Only the first three fields are always present, so only they are compared between lines.
  return kinds.slice(0, 3).join('|')
}
