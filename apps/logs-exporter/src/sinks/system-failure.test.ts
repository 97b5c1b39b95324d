import { expect, test } from 'vitest'
import { systemFailure } from './system-failure.ts'

test.each(['ENOSPC', 'EDQUOT', 'EMFILE'])('%s is transient', (code) => {
  expect(systemFailure(code, '').kind).toBe('transient')
})

test('an unknown code is transient, with its message', () => {
  expect(systemFailure('EWEIRD', 'odd')).toEqual({ kind: 'transient', why: 'odd' })
})
