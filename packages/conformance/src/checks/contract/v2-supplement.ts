import { expectStatus } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import { expect, Skip } from '../../core/failure.ts'
import { expectSameRows, queryLogs, range, readWholeRange, sample } from '../../core/logs.ts'
import { operationOf } from '../resources.ts'
import { onClosedRanges } from './closed-ranges.ts'
import type { ContractChecks, Draft } from './contract-checks.ts'
import { limitBounds } from './v2-paging.ts'

/** Checks what the public reference adds to the spec for version 2, except pages and filters. */
export const v2Supplement: ContractChecks = (operation) =>
  operation.name === 'query-logs' ? onClosedRanges(operation, drafts) : []

const drafts: readonly Draft[] = [
  {
    slug: 'limit-bounds',
    text: 'A limit outside its bounds is answered 400.',
    run: async (context) => {
      const { minimum, maximum } = limitBounds()
      const { from, to } = await sample(context)
      for (const limit of [minimum, maximum]) await queryLogs(context, { ...range(from, to), limit: `${limit}` })
      for (const limit of [minimum - 1, maximum + 1]) {
        expectStatus(await call(context, operationOf('query-logs'), { query: { limit: `${limit}` } }), 400)
      }
    },
  },
  {
    slug: 'echo',
    text: 'The body names the effective range, order and page.',
    run: async (context) => {
      const { zone, from, to } = await sample(context)
      const page = await queryLogs(context, { ...range(from, to), order: 'asc', limit: '3', offset: '1' })
      const seen = [page.query.pullZoneId, Date.parse(page.query.from), Date.parse(page.query.to), page.query.order]
      const effective = [zone, from, to, 'asc'].join(', ')
      expect(seen.join(', ') === effective, effective, seen.join(', '))
      const { offset, limit, returned } = page.pagination
      const expected = `offset 1, limit 3, returned ${page.rows.length}`
      expect(
        `offset ${offset}, limit ${limit}, returned ${returned}` === expected,
        expected,
        `offset ${offset}, limit ${limit}, returned ${returned}`,
      )
    },
  },
  {
    slug: 'origin-shield',
    text: 'Requests to the origin shield are shown on request, together with all others.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const withShield = await readWholeRange(context, from, to, { includeOriginShield: 'true' })
      if (withShield.length === rows.length) throw new Skip('no requests to the origin shield in the sample')
      const shown = new Set(rows.map((row) => JSON.stringify(row)))
      const others = withShield.filter((row) => shown.has(JSON.stringify(row)))
      expectSameRows(others, rows, 'those without the origin shield, among all')
    },
  },
]
