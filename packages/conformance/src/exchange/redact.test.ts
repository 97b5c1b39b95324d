import { expect, test } from 'vitest'
import { createRedactor } from './redact.ts'

const redactor = createRedactor({ accessKey: 'canary', bearer: 'canary-longer', byScope: { User: 'scoped-canary' } })

test("the run's credentials are removed everywhere, even one that begins like another", () => {
  expect(redactor.text('a canary, canary-longer and scoped-canary')).toBe('a [redacted], [redacted] and [redacted]')
})

test('headers for credentials lose every value that the run does not know', () => {
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

test("visitors' credentials in log rows are removed in both versions", () => {
  const v2 = '{"authorizationHeader": "Basic \\"dG9rZW4=", "path": "/a"}'
  expect(redactor.text(v2)).toBe('{"authorizationHeader": "[redacted]", "path": "/a"}')
  const fields = Array.from({ length: 14 }, (_, index) => `f${index}`).join('|')
  expect(redactor.text(`${fields}|Basic dG9rZW4=\nshort|line`)).toBe(`${fields}|[redacted]\nshort|line`)
})

test("visitors' credentials are removed from nested and from truncated texts", () => {
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

test('tokens that a check derives from a valid one are removed', () => {
  const { text } = createRedactor({ bearer: 'header.canary-claims.canary-signature' })
  const forged = text('Bearer header.canary-claims.Xanary-signature and other.canary-claims.')
  expect(forged).not.toMatch(/canary-claims|anary-signature/)
})
