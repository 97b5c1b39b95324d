import { expect, test } from 'vitest'
import { jsonRequest, start } from '../../../tests/support/start.ts'

const add = 'pullzone/2001/addAllowedReferrer'
const error = { ErrorKey: expect.any(String), Field: expect.any(String), Message: expect.any(String) }

// The conformance suite checks the effects of valid requests.

test.each([
  ['an empty hostname', '{"Hostname":""}', 'Hostname'],
  ['a number', '{"Hostname":1}', 'Hostname'],
  ['null', '{"Hostname":null}', 'Hostname'],
  ['no hostname', '{}', 'Hostname'],
  ['an array', '["a.example"]', ''],
  ['invalid JSON', '{"Hostname":', ''],
  ['nothing', '', ''],
  ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), ''],
])('add allowed referrer (§4.2) adds nothing for %s', async (_name, body, field) => {
  const { emulator, ask } = await start()
  const response = await ask.management(add, { ...jsonRequest(emulator, ''), body })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ ...error, Field: field })
  expect(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual([])
})
