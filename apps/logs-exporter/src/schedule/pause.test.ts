import { once } from 'node:events'
import { expect, test } from 'vitest'
import { pause } from './pause.ts'

test('a pause until a past time ends at once, without a warning from Node', async () => {
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
