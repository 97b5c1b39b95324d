import fc from 'fast-check'
import { expect, test } from 'vitest'
import { envOf, variableText } from './env.ts'

test('a variable that is not set is undefined, even if objects inherit a member of its name', () => {
  const names = [...Object.getOwnPropertyNames(Object.prototype), 'HOME']
  for (const name of names) expect(envOf({}, name)).toBeUndefined()
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string(), (name, value) => {
      const env = Object.fromEntries([[name, value]])
      expect(envOf(env, name)).toBe(value)
    }),
  )
})

test('a message shows a name only if it looks like one', () => {
  expect(variableText('CDN_ACCESS_KEY')).toBe('the environment variable CDN_ACCESS_KEY')
  for (const name of [
    '4f2c-11',
    'eyJhbGciOi',
    'deadbeef',
    'AKIAIOSFODNN7EXAMPLE',
    '__proto__',
    'toString',
    'A'.repeat(65),
    '',
    'A B',
  ])
    expect(variableText(name)).not.toContain(`variable ${name} `)
})
