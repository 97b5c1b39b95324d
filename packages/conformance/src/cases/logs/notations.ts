/** Two queries of one meaning: times in other notations, defaults that are stated, and other encodings. */
import { hourMs } from '@cdn/kit/time'
import { type ChecksOf, decide } from '../../requirements.ts'
import { call, type Request } from '../../run/call.ts'
import type { CheckContext } from '../../run/check.ts'
import { expect, Skip } from '../../run/failure.ts'
import { type KnownRows, sentParameters } from './cases.ts'
import { defaultLimit, type LogQuery } from './expected.ts'
import { differencesOf } from './judge.ts'
import { knownRowsOf } from './log-queries.ts'

const timeNotations: Readonly<Record<string, (time: number) => string>> = {
  'offset +00:00': (time) => iso(time).replace('Z', '+00:00'),
  'offset +02:00': (time) => iso(time + 2 * hourMs).replace('Z', '+02:00'),
  'offset -05:30': (time) => iso(time - 5.5 * hourMs).replace('Z', '-05:30'),
  'fraction of six digits': (time) => iso(time).replace('Z', '000Z'),
}

const defaults: LogQuery = { order: 'desc', offset: '0', limit: defaultLimit }

export const notations: ChecksOf = (operation) => {
  if (operation.name !== 'query-logs') return []
  const run = async (context: CheckContext) => {
    const [subject] = await knownRowsOf(context, 'query-logs')
    if (!subject) throw new Skip('the pull zone shows no rows')
    for (const [label, plain, other] of pairsOf(subject)) {
      const response = await call(context, operation, { ...other, path: { pullZoneId: subject.zone } })
      // The checks of the queries decide `hasMore`.
      const all = differencesOf(subject, plain, response)
      const difference = all.find(({ what }) => what !== 'more' && what !== 'end')
      const seen = difference && `for ${label}: ${difference.seen}`
      expect(seen === undefined, 'the response to the same query in another notation', String(seen))
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

/** Queries, and requests of the same meaning. */
function pairsOf(subject: KnownRows): (readonly [label: string, plain: LogQuery, other: Request])[] {
  const { from, to, values } = subject
  const query = sentParameters(subject, { order: 'asc' })
  const times = Object.entries(timeNotations).map(
    ([label, write]) => [label, query, { query: { ...query, from: write(from), to: write(to) } }] as const,
  )
  const filters = Object.entries(values).flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const stated = filters.map(([name, value]) => {
    const plain = sentParameters(subject, { [name]: value })
    return [`defaults with ${name}`, plain, { query: { ...defaults, ...plain } }] as const
  })
  const encoded = filters.map(([name, value]) => {
    const { [name]: _, ...others } = sentParameters(subject, { [name]: value })
    return [
      `${name} in percent-encoding`,
      { ...others, [name]: value },
      { query: others, search: `${name}=${inHexadecimal(value)}` },
    ] as const
  })
  return [...times, ...stated, ...encoded]
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

/** Percent-encodes every byte of a text. */
export function inHexadecimal(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
