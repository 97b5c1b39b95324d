import { expect, test } from 'vitest'
import { describeError } from '../errors.ts'
import { createLog } from './log.ts'

function logTo(isTTY: boolean) {
  const lines: string[] = []
  const stream = { isTTY, write: (line: string) => lines.push(line) }
  return { lines, log: createLog(stream as unknown as Parameters<typeof createLog>[0]) } // safe: the log only writes
}
const fields = { zones: ['1', '2'], error: describeError(new Error('down\u001b[2J\n')), failures: 3, text: 'a\u202eb' }

test('a terminal gets one line of text per entry, without control characters', () => {
  const { lines, log } = logTo(true)
  log.warn(fields, 'a zone failed')
  log.info({}, 'ended')
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\dZ warn {2}a zone failed \(zones 1 2, error down\\u001b\[2J\\u000a, failures 3, text a\\u202eb\)\n$/,
  )
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\dZ info {2}ended\n$/)
})

test('anything else gets one line of JSON per entry', () => {
  const { lines, log } = logTo(false)
  log.error(fields, 'a zone failed')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    msg: 'a zone failed',
    zones: ['1', '2'],
    failures: 3,
  })
})
