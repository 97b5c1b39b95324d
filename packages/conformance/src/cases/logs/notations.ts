/**
 * Checks that a query in another notation has the same response: times, explicit defaults, percent-encoding, odd numbers and
 * ranges.
 */
import { dayMs, hourMs } from '@cdn/kit/time'
import { call, type Request } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { Failure, Skip, value, wrong } from '../../exchange/failure.ts'
import { type ChecksOf, decide } from '../../exchange/requirements.ts'
import { isSuccess } from '../../exchange/response.ts'
import { defaultLimit, type LogQuery } from '../../rules/expected.ts'
import { type KnownRows, sentParameters } from './cases.ts'
import { differencesOf } from './compare-response.ts'
import { knownRowsOf } from './log-queries.ts'
import { hasChanged, hasRoundedTimes } from './reference.ts'
import { range } from './rows.ts'

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

interface Pair {
  readonly label: string
  /** The query whose response is predicted. */
  readonly plain: LogQuery
  readonly other: Request
  /** Whether a refusal is permitted, too. */
  readonly isOpen?: true
}

export const notations: ChecksOf = (operation) => {
  if (operation.name !== 'query-logs') return []
  const run = async (context: CheckContext) => {
    const [subject] = await knownRowsOf(context, 'query-logs')
    if (!subject) throw new Skip('the pull zone shows no rows')
    for (const { label, plain, other, isOpen } of pairsOf(subject, context.now().getTime())) {
      const response = await call(context, operation, { ...other, path: { pullZoneId: subject.zone } })
      if (isOpen && !isSuccess(response)) continue
      // The checks of the queries decide `hasMore`.
      const all = differencesOf(subject, plain, response)
      const difference = all.find(({ what }) => what !== 'more' && what !== 'end')
      if (difference && (await hasChanged(context, subject)))
        throw new Skip('inconclusive: rows of a closed range changed during the check')
      if (difference && /range/.test(label) && (await hasRoundedTimes(context, subject))) continue
      if (difference)
        throw new Failure(
          value(`the response to the same query in another notation, for ${label}`),
          difference.what === 'response'
            ? difference.seen
            : wrong('the same query in another notation gets another response'),
          { responses: [response], parameters: Object.keys(plain) },
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

function pairsOf(subject: KnownRows, now: number): Pair[] {
  const { from, to, values, items } = subject
  const query = sentParameters(subject, { order: 'asc' })
  const time = items.at(-1)?.time ?? from
  const plainRange = (label: string, first: number, last: number, open: Pick<Pair, 'isOpen'> = {}): Pair => {
    const plain = { ...range(first, last), order: 'asc' }
    return { label, plain, other: { query: plain }, ...open }
  }
  const filters = Object.entries(values).flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return [
    ...Object.entries(timeNotations).map(([label, write]) => ({
      label,
      plain: query,
      other: { query: { ...query, from: write(from), to: write(to) } },
    })),
    ...toAlone(subject, now),
    plainRange('a range of one millisecond', time, time + 1),
    plainRange('an empty range', time, time, { isOpen: true }),
    plainRange('a reversed range', time + 1, items[0]?.time ?? from, { isOpen: true }),
    ...['limit', 'offset'].flatMap((name) =>
      numbers.map((text) => ({
        label: `${name}=${text}`,
        plain: { ...query, [name]: '10' },
        other: { query, search: `${name}=${text}` },
        isOpen: true as const,
      })),
    ),
    ...filters.flatMap(([name, value]) => {
      const { [name]: _, ...others } = sentParameters(subject, { [name]: value })
      const plain = { ...others, [name]: value }
      return [
        { label: `defaults with ${name}`, plain, other: { query: { ...defaults, ...plain } } },
        {
          label: `${name} in percent-encoding`,
          plain,
          other: { query: others, search: `${name}=${inHexadecimal(value)}` },
        },
      ]
    }),
  ]
}

/** A query with an end in the past and without `from`. Only the newest rows before the end are compared; a rule judges the default `from`. */
function toAlone({ items }: KnownRows, now: number): Pair[] {
  const recent = items.filter(({ time }) => time > now - dayMs + hourMs)
  const end = recent[recent.length >> 1]?.time ?? 0
  const before = recent.filter(({ time }) => time < end)
  const [first] = before
  if (!first) return []
  const { from: start, to } = range(first.time, end)
  const newest = { order: 'desc', limit: `${before.length}` }
  return [{ label: 'to alone', plain: { from: start, to, ...newest }, other: { query: { to, ...newest } } }]
}

/** Percent-encodes every byte of a text. */
export function inHexadecimal(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
