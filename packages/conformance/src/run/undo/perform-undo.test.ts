import { expect, test } from 'vitest'
import { performUndo } from './undo-runner.ts'

const base = 'https://management.invalid'
const set = { method: 'PUT', url: `${base}/videolibrary/1/watermark` }
const remove = { method: 'POST', url: `${base}/pullzone/1/removeAllowedReferrer` }
const add = { method: 'POST', url: `${base}/pullzone/1/addAllowedReferrer` }

test.each([
  ['a watermark that cannot be set', set, 404, 'could not undo it: status 404'],
  ['a watermark that is refused', set, 400, 'could not undo it: status 400'],
  ['a hostname that is not there any more', remove, 404, undefined],
  ['a removal that is refused', remove, 400, undefined],
  ['a pull zone that is gone', add, 404, 'could not undo it: status 404'],
  // The platform may refuse a hostname that is already there (unspecified), after a lost response to the same undo.
  ['a hostname that is there again', add, 400, undefined],
  ['a server error', remove, 500, 'could not undo it: status 500'],
] as const)('the undo meets %s', async (_, request, status, reason) => {
  const step = { text: 'undo it', headers: {}, ...request }
  const send = async () => new Response(null, { status })
  expect(await performUndo(step, send, '', 1, 0)).toBe(reason)
})
