import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPageParser } from './page.ts'

const from = Date.UTC(2026, 5, 17)
const request = { pullZoneId: 1, from, to: from + 1000, limit: 10_000 }

/** Texts that look like boundaries of rows, and characters that JSON escapes. */
const hostile = fc.array(
  fc.constantFrom('},{', '"', '\\', '{"data":[', ']}', 'a', 'ü', '\u{1f600}', '\n', '[', '\ud800'),
)
const values = fc.oneof(
  hostile.map((parts) => parts.join('')),
  fc.constant([{ a: 1 }, { b: '},{' }]),
  fc.constant(12345678901234567890n),
)

test('a page has the same rows, wherever its bytes are cut, and knows which texts need escapes', () => {
  const pages = fc.record({
    rows: fc.array(fc.record({ value: values, padding: fc.constantFrom(0, 100, 3000, 90_000) }), { maxLength: 60 }),
    chunk: fc.integer({ min: 1, max: 100_000 }),
    space: fc.constantFrom('', ' '),
  })
  fc.assert(
    fc.property(pages, ({ rows, chunk, space }) => {
      const entries = rows.map(({ value, padding }, n) => {
        const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value)
        return `{"timestamp":"${new Date(from + n).toISOString()}","value":${text},"padding":"${'x'.repeat(padding)}"}`
      })
      const echo = `{"pullZoneId":1,"from":"${new Date(from).toISOString()}","to":"${new Date(from + 1000).toISOString()}","order":"asc"}`
      const pagination = `{"offset":0,"limit":10000,"returned":${rows.length},"hasMore":false}`
      const text = `{${space}"data":[${entries.join(`,${space}`)}],"pagination":${pagination},"query":${echo}}`
      const got: { value: unknown; hasEscapes: boolean }[] = []
      const parser = createPageParser(request, {
        add: (_row, _time, hasEscapes, exact) => void got.push({ value: exact()['value'], hasEscapes }),
        end: () => got,
      })
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += chunk) parser.add(bytes.subarray(at, at + chunk))
      expect(parser.end().rows.map(({ value }) => value)).toEqual(rows.map(({ value }) => value))
      for (const { value, hasEscapes } of got)
        if (typeof value === 'string' && JSON.stringify(value).includes('\\')) expect(hasEscapes).toBe(true)
    }),
    { numRuns: 100 },
  )
})
