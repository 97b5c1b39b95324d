import { once } from 'node:events'
import { expect, test } from 'vitest'
import { pause } from './pause.ts'

test('a moment that is past is waited for no longer, without a warning of Node', async () => {
  const never = new AbortController()
  const heard = once(process, 'warning', { signal: never.signal }).then(
    ([warning]) => warning.name,
    () => 'none',
  )
  await pause(-1, new AbortController().signal)
  await new Promise(setImmediate)
  never.abort()
  expect(await heard).toBe('none')
})
