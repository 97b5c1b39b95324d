import { createServer } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { listen } from '@cdn/kit/testing/listen'
import { expect, test } from 'vitest'
import { hasWholeCoding, withCodedBytes } from './coding.ts'

const text = 'a line of a log file\n'.repeat(100)

test.each([
  ['gzip', gzipSync(text)],
  ['X-Gzip', Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['deflate, gzip', gzipSync(deflateSync(text))],
])('%s with its end is whole, and without its end it is not', async (coding, body) => {
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'Content-Encoding': coding }).end(url === '/whole' ? body : body.subarray(0, -2))
  })
  const origin = await listen(server)
  const send = withCodedBytes(fetch)
  // Node sets its global dispatcher, which `withCodedBytes` wraps, in the first call of `fetch`.
  await fetch(`${origin}/whole`).then((response) => response.arrayBuffer())
  for (const path of ['whole', 'cut']) {
    const response = await send(`${origin}/${path}`)
    expect(text.startsWith(await response.text())).toBe(true)
    expect(hasWholeCoding(response), path).toBe(path === 'whole')
  }
  server.closeAllConnections()
  server.close()
})

test('nothing is known of a body without a coding, or with one that the transport did not show', () => {
  expect(hasWholeCoding(new Response(text))).toBeUndefined()
  expect(hasWholeCoding(new Response(text, { headers: { 'content-encoding': 'gzip' } }))).toBeUndefined()
})
