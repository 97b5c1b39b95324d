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
