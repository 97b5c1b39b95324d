import { expect, test } from 'vitest'
import { operationOf } from './resources.ts'
import { validateResponse } from './validate-response.ts'

const error = { ErrorKey: 'a', Field: 'b', Message: 'c' }

function judge(name: string, status: number, body: unknown = '') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return validateResponse(operationOf(name), { status, headers: new Headers(), text }).map(({ source }) => source)
}

test.each([
  ['delete-watermark', 204, '', []],
  // The spec leaves open what a library without a watermark gets.
  ['delete-watermark', 200, '', []],
  ['delete-watermark', 302, '', ['spec', 'supplement']],
  ['delete-watermark', 404, error, []],
  ['delete-watermark', 404, '', []],
  ['delete-watermark', 404, { ErrorKey: 7 }, ['spec', 'supplement']],
  ['delete-watermark', 404, { ErrorKey: null }, ['spec']],
  ['delete-watermark', 404, '<html>', ['spec', 'supplement']],
  ['delete-watermark', 418, '', []],
  ['delete-watermark', 501, '', ['spec', 'supplement']],
  ['add-allowed-referrer', 204, '', []],
  // A gateway sent it, not the platform.
  ['add-allowed-referrer', 502, '<html>', []],
  ['query-logs', 503, '<html>', []],
  ['add-allowed-referrer', 201, '', ['supplement']],
  ['add-allowed-referrer', 400, { ErrorKey: 'a', Field: 'b' }, ['spec']],
  ['query-logs', 200, { data: null }, ['supplement']],
  ['query-logs', 200, '', ['spec', 'supplement']],
  ['query-logs', 429, { error: { code: 'rate_limited', message: '' } }, []],
  ['query-logs', 429, { error: 'rate_limited' }, ['supplement']],
  ['query-logs', 500, { error: { code: 'rate_limited', message: '' } }, ['spec', 'supplement']],
  ['query-logs', 500, { error: { code: 'internal_error', message: 'not rate_limited' } }, []],
  ['query-logs', 404, { error: { code: 'no_such_zone', message: '' } }, []],
  ['query-logs', 500, '<html>', ['spec', 'supplement']],
  ['query-logs', 500, { error: { code: 'unknown', message: '' } }, ['spec', 'supplement']],
  ['read-log-file', 500, '', ['supplement']],
  ['read-log-file', 500, 'internal_error: the server failed', []],
  ['read-log-file', 500, 'invalid_request', ['supplement']],
  ['read-log-file', 200, 'a|b', []],
])('%s answered %i with %j breaks %j', (name, status, body, breaches) => {
  expect(judge(name, status, body)).toEqual(breaches)
})
