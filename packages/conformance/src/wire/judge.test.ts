import { expect, test } from 'vitest'
import { operationOf } from '../resources.ts'
import { judgeAnswer } from './judge.ts'

const error = { ErrorKey: 'a', Field: 'b', Message: 'c' }

function judge(name: string, status: number, body: unknown = '') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return judgeAnswer(operationOf(name), { status, headers: new Headers(), text }).map(({ ground }) => ground)
}

test.each([
  ['delete-watermark', 204, '', []],
  ['delete-watermark', 200, '', ['document', 'supplement']],
  ['delete-watermark', 302, '', ['document', 'supplement']],
  ['delete-watermark', 404, error, []],
  ['delete-watermark', 404, '', []],
  ['delete-watermark', 404, { ErrorKey: 7 }, ['document', 'supplement']],
  ['delete-watermark', 404, { ErrorKey: null }, ['document']],
  ['delete-watermark', 404, '<html>', ['document', 'supplement']],
  ['delete-watermark', 418, '', []],
  ['delete-watermark', 501, '', ['document', 'supplement']],
  ['add-allowed-referrer', 204, '', []],
  ['add-allowed-referrer', 201, '', ['supplement']],
  ['add-allowed-referrer', 400, { ErrorKey: 'a', Field: 'b' }, ['document']],
  ['query-logs', 200, { data: null }, ['supplement']],
  ['query-logs', 200, '', ['document', 'supplement']],
  ['query-logs', 429, { error: { code: 'rate_limited', message: '' } }, []],
  ['query-logs', 429, { error: 'rate_limited' }, ['supplement']],
  ['query-logs', 500, { error: { code: 'rate_limited', message: '' } }, ['document', 'supplement']],
  ['query-logs', 500, { error: { code: 'internal_error', message: 'not rate_limited' } }, []],
  ['query-logs', 404, { error: { code: 'no_such_zone', message: '' } }, []],
  ['query-logs', 500, '<html>', ['document', 'supplement']],
  ['query-logs', 500, { error: { code: 'unknown', message: '' } }, ['document', 'supplement']],
  ['read-log-file', 500, '', ['supplement']],
  ['read-log-file', 500, 'internal_error: the server failed', []],
  ['read-log-file', 500, 'invalid_request', ['supplement']],
  ['read-log-file', 200, 'a|b', []],
])('%s answered %i with %j breaks %j', (name, status, body, breaches) => {
  expect(judge(name, status, body)).toEqual(breaches)
})
