import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { sampleExchange } from '../../tests/support/samples.ts'
import { curlLine } from './evidence.ts'

const base = { method: 'GET', url: 'https://logging.invalid/v2', headers: {} }

function argumentsOf(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', CDN_ACCESS_KEY: 'key', CDN_BEARER_TOKEN: 'token' }
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] })
    .split('\0')
    .slice(0, -1)
}

test('a shell sends the request with the credentials of its environment, whatever the case of their headers', () => {
  expect(argumentsOf(curlLine(sampleExchange.request))).toEqual([
    ...['--include', '--request', 'POST', 'https://management.invalid/pullzone/7/addAllowedReferrer'],
    ...['--header', 'accesskey: key', '--header', 'AUTHORIZATION: Bearer token'],
    ...['--header', 'Content-Type: application/json', '--data-raw', '{"Hostname":"a.invalid"}'],
  ])
})

test.each([
  ['a plain GET needs no method', base, ['--include', base.url]],
  ['HEAD would wait for a body', { ...base, method: 'HEAD' }, ['--include', '--head', base.url]],
  [
    'brackets expand',
    { ...base, url: 'https://a.invalid/[1-9]' },
    ['--include', '--globoff', 'https://a.invalid/[1-9]'],
  ],
  ['an empty header is dropped', { ...base, headers: { 'X-A': '' } }, ['--include', base.url, '--header', 'X-A;']],
  [
    'the name of a header expands',
    { ...base, headers: { 'X-`touch PWN`$(b)': '$CDN_ACCESS_KEY' } },
    ['--include', base.url, '--header', 'X-`touch PWN`$(b): key'],
  ],
  ['curl sets the length itself', { ...base, headers: { 'content-length': '9' } }, ['--include', base.url]],
  [
    'a body brings a content type',
    { ...base, method: 'POST', body: '@file' },
    ['--include', '--request', 'POST', base.url, '--header', 'Content-Type:', '--data-raw', '@file'],
  ],
])('the command prevents what curl would do: %s', (_name, request, want) =>
  expect(argumentsOf(curlLine(request))).toEqual(want),
)
