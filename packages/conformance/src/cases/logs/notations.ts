/**
 * Checks that a query in another notation has the same response: times, explicit defaults, percent-encoding, unusual numbers and
 * ranges.
 */
import { dayMs, hourMs } from '@cdn/kit/time'
import { call, type RequestParts } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { Failure, Skip, value, wrong } from '../../exchange/failure.ts'
import { type ChecksOf, decide } from '../../exchange/requirements.ts'
import { isSuccess } from '../../exchange/response.ts'
import { defaultLimit, type LogQuery, type Reference } from '../../rules/predictions.ts'
import { differencesOf } from './compare-rows.ts'
import { knownRowsOf } from './log-queries.ts'
import { parameterValues, sentParameters } from './query-cases.ts'
import { hasChanged, hasRoundedTimes } from './reference.ts'
import { rangeQuery } from './rows.ts'

const iso = (time: number) => new Date(time).toISOString()

const timeNotations: Readonly<Record<string, (time: number) => string>> = {
  'offset +00:00': (time) => iso(time).replace('Z', '+00:00'),
  'offset +02:00': (time) => iso(time + 2 * hourMs).replace('Z', '+02:00'),
  'offset -05:30': (time) => iso(time - 5.5 * hourMs).replace('Z', '-05:30'),
  'fraction of six digits': (time) => iso(time).replace('Z', '000Z'),
}

/** Forms of the number 10. A server may refuse them. */
const numbers = ['010', '00000000010', '10.0', '1e1', '%2B10', '0xa']

const defaults: LogQuery = { order: 'desc', offset: '0', limit: defaultLimit }

interface Notation extends Pick<RequestParts, 'query' | 'search'> {
  readonly label: string
  /** Whether a refusal is permitted, too. */
  readonly isOpen?: true
}

export const notationChecks: ChecksOf = (operation) => {
  if (operation.name !== 'query-logs') return []
  const run = async (context: CheckContext) => {
    const [reference] = await knownRowsOf(context, 'query-logs')
    if (!reference) throw new Skip('the pull zone shows no rows')
    for (const { label, isOpen, ...request } of notationsOf(reference, context.now().getTime())) {
      const response = await call(context, operation, { ...request, path: { pullZoneId: reference.zone } })
      if (isOpen && !isSuccess(response)) continue
      // The checks of the queries decide `hasMore`.
      const all = differencesOf(reference, response)
      const difference = all.find(({ what }) => what !== 'more' && what !== 'end')
      if (difference && (await hasChanged(context, reference)))
        throw new Skip('inconclusive: rows of a closed range changed during the check')
      if (difference && /range|to alone/.test(label) && (await hasRoundedTimes(context, reference))) continue
      if (difference)
        throw new Failure(
          value(`the response to the same query in another notation, for ${label}`),
          difference.what === 'response'
            ? difference.seen
            : wrong('the same query in another notation gets another response'),
          { responses: [response], parameters: [...response.sent.query.keys()] },
        )
    }
  }
  return [
    decide(operation, {
      decides: '<operation>.notations',
      basis: 'supplement',
      needs: ['loggedZoneId', 'credentials.accessKey'],
      uses: ['otherLoggedZoneId'],
      run,
    }),
  ]
}

function notationsOf(reference: Reference, now: number): Notation[] {
  const { from, to, items } = reference
  const query = sentParameters(reference, { order: 'asc' })
  const time = items.at(-1)?.time ?? from
  const filters = Object.entries(parameterValues(reference)).flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return [
    ...Object.entries(timeNotations).map(([label, write]) => ({
      label,
      query: { ...query, from: write(from), to: write(to) },
    })),
    ...toAlone(reference, now),
    { label: 'a range of one millisecond', query: { ...query, ...rangeQuery(time, time + 1) } },
    { label: 'an empty range', query: { ...query, ...rangeQuery(time, time) }, isOpen: true },
    { label: 'a reversed range', query: { ...query, ...rangeQuery(time + 1, items[0]?.time ?? from) }, isOpen: true },
    ...['limit', 'offset'].flatMap((name) =>
      numbers.map((text) => ({ label: `${name}=${text}`, query, search: `${name}=${text}`, isOpen: true as const })),
    ),
    ...filters.flatMap(([name, value]) => {
      const { [name]: _, ...others } = sentParameters(reference, { [name]: value })
      return [
        { label: `defaults with ${name}`, query: { ...defaults, ...others, [name]: value } },
        { label: `${name} in percent-encoding`, query: others, search: `${name}=${percentEncodeAll(value)}` },
      ]
    }),
  ]
}

/**
 * A query with an end in the past and without `from`. Only the newest rows before the end are compared; a rule judges the default `from`.
 */
function toAlone({ items }: Reference, now: number): Notation[] {
  const recent = items.filter(({ time }) => time > now - dayMs + hourMs)
  const end = recent[recent.length >> 1]?.time ?? 0
  const { length } = recent.filter(({ time }) => time < end)
  return length > 0 ? [{ label: 'to alone', query: { to: iso(end), order: 'desc', limit: `${length}` } }] : []
}

/** Percent-encodes every byte of a text. */
export function percentEncodeAll(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
