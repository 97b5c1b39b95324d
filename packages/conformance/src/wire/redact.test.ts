import { expect, test } from 'vitest'
import { createRedactor } from './redact.ts'

const redactor = createRedactor({ accessKey: 'canary', bearer: 'canary-longer', byScope: { User: 'scoped-canary' } })

test("the run's credentials are taken out wherever they turn up, also one that begins like another", () => {
  expect(redactor.text('a canary, canary-longer and scoped-canary')).toBe('a [redacted], [redacted] and [redacted]')
})

test("headers that carry credentials lose their value, whoever's it is", () => {
  const headers = [
    ['AccessKey', 'unknown'],
    ['authorization', 'Bearer unknown'],
    ['accept', 'text/plain'],
  ] as const
  expect(redactor.headers(headers)).toEqual({
    AccessKey: '[redacted]',
    authorization: '[redacted]',
    accept: 'text/plain',
  })
})

test("visitors' credentials in log rows are taken out, in both versions", () => {
  const v2 = '{"authorizationHeader": "Basic \\"dG9rZW4=", "path": "/a"}'
  expect(redactor.text(v2)).toBe('{"authorizationHeader": "[redacted]", "path": "/a"}')
  const fields = Array.from({ length: 14 }, (_, index) => `f${index}`).join('|')
  expect(redactor.text(`${fields}|Basic dG9rZW4=\nshort|line`)).toBe(`${fields}|[redacted]\nshort|line`)
})

test("visitors' credentials are taken out of texts within texts, and of texts that were cut", () => {
  const row = '{"path":"/","authorizationHeader":"Bearer canary-visitor","host":"a"}'
  for (const text of [row, JSON.stringify(row), JSON.stringify(JSON.stringify(row)), row.slice(0, 50)]) {
    expect(text).toContain('canary-v')
    expect(redactor.text(text)).not.toContain('canary-v')
  }
  expect(redactor.text(JSON.stringify(row))).toContain('host')
  const line = `${Array.from({ length: 14 }, (_, index) => `f${index}`).join('|')}|Basic canary-visitor`
  for (const text of [line, `${line}\n${line}`, JSON.stringify(`${line}\n${line}`), `saw ${JSON.stringify(line)}`]) {
    expect(redactor.text(text)).not.toContain('canary-v')
  }
  expect(redactor.text('HIT|200\nMISS|404')).toBe('HIT|200\nMISS|404')
})
