/** Tests of the terminal report, the job summary and the text for the vendor. */
import { expect, test } from 'vitest'
import {
  fullReport,
  hostileReport,
  hostileText,
  reportOf,
  sampleCause,
  sampleCheck,
  seenOf,
} from '../../tests/support/samples.ts'
import { seenText, vendorText } from './cause-text.ts'
import { markdownReport } from './markdown.ts'
import { terminalReport } from './terminal.ts'

test('the terminal shows the areas, the causes with their sentences and commands, and the verdict at the end', () => {
  const lines = terminalReport(fullReport, { color: false }).split('\n')
  expect(lines.slice(0, 2)).toEqual(['✓ logging    1 of 1 sentence', '✕ Pull Zone  0 of 1 sentence, 1 broken'])
  const text = lines.join('\n')
  expect(text).toMatch(
    /✕ broken {2}POST \/pullzone\/\{id\}\/addAllowedReferrer: the list has no allowed referrers, expected a\.invalid .*, since 1 Jan 2026\n {2}§4\.2 After a success the hostname is there\. \(management.*\)\n/,
  )
  expect(text).toMatch(
    /\n {2}curl --include .*\n {2}Send it again: conformance replay management\.add-allowed-referrer\.effect\n/,
  )
  expect(text).toMatch(/Fixed: GET \/pullzone\/\{id\}: status 500 \(since 2026-01-01 00:00 UTC\)/)
  expect(text).toMatch(/✕ The live platform does not conform: 1 cause breaks 1 of 2 sentences\.\n$/)
  expect(text).not.toContain('\u001b')
  expect(terminalReport(fullReport, { color: true })).toContain('\u001b[')
})

test('the job summary has the verdict, and each cause with its text for the vendor', () => {
  const text = markdownReport(fullReport)
  for (const part of [
    /^## ✕ The live platform does not conform/,
    /\n- Fixed: GET /,
    /### ✕ POST \/pullzone\/\{id\}\/addAllowedReferrer: the list has no allowed referrers/,
    /<details><summary>For the vendor<\/summary>/,
  ])
    expect(text).toMatch(part)
  expect(markdownReport(reportOf([sampleCheck]))).not.toMatch(/###|<details>/)
})

test('the vendor gets operation, sentence with paragraph, request and response, command, request id and time', () => {
  const text = vendorText(fullReport, sampleCause).join('\n\n')
  for (const part of [
    '**POST /pullzone/{id}/addAllowedReferrer**',
    'Expected: a.invalid among the allowed referrers  \nSeen: the list has no allowed referrers',
    '> After a success the hostname is there. (§4.2)',
    '`2026-01-02 03:04:06 UTC, 12 ms, request id 8f3c`:',
    '> POST https://management.invalid/pullzone/7/addAllowedReferrer',
    '< 500',
    'curl --include --request POST',
  ])
    expect(text).toContain(part)
})

test('a text of the target cannot end a block of code, start a comment or format anything', () => {
  const [first] = hostileReport.causes
  for (const text of [vendorText(hostileReport, first ?? sampleCause).join('\n\n'), markdownReport(hostileReport)]) {
    const outside = text.replace(/^(`{3,})\w*\n.*?\n\1$/gms, '').replace(/(?<!\\)`[^`\n]*`/g, '')
    expect(outside.replace(/<\/?(details|summary)>/g, '').replace(/^> /gm, '')).not.toMatch(/[<>]|(?<!\\)\[|@/)
    expect(text).not.toContain('<!--')
  }
  expect(hostileText).toContain('<!--')
})

test('the job summary fits whatever the number of causes', () => {
  const causes = Array.from({ length: 1000 }, (_, index) => ({
    ...sampleCause,
    id: `c${index}`,
    seen: seenOf('|'.repeat(5_000)),
  }))
  const text = markdownReport({ ...fullReport, causes })
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024)
  expect(text).toContain('980 more causes')
})

test('a public text shows the values of impersonal fields, and only the places of all others', () => {
  const at = [
    { path: 'data[0].cacheStatus', text: '"EXPIRED"' },
    { path: 'data[1].remoteIp', text: '"203.0.113.9"' },
  ]
  const seen = { kind: 'value', what: 'rows are wrong', at } as const
  expect(seenText(seen, true)).toBe('rows are wrong: data[0].cacheStatus is "EXPIRED", data[1].remoteIp')
  const other = { kind: 'value', what: 'a row has another value', field: 'userAgent', text: 'a instead of b' } as const
  expect(seenText(other, true)).not.toContain('instead')
  expect(seenText({ kind: 'value', what: 'rows are wrong', text: '3 rows' }, true)).toContain('3 rows')
})
