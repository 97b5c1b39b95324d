import { expect, test } from 'vitest'
import { withSystemFailures } from './errors.ts'

const failing = (code: string) =>
  withSystemFailures(
    (why) => `It failed: ${why}.`,
    () => Promise.reject(Object.assign(new Error('odd'), { code })),
  )

test.each(['ENOSPC', 'EDQUOT', 'EMFILE'])('%s is transient', async (code) => {
  await expect(failing(code)).rejects.toMatchObject({ name: 'SinkError', kind: 'transient' })
})

test('an unknown code is transient, with its message', async () => {
  await expect(failing('EWEIRD')).rejects.toMatchObject({ kind: 'transient', message: 'It failed: odd (EWEIRD).' })
})
