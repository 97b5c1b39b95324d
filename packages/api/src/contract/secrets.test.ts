import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSecretField, maskSecrets, maskSecretsInText } from './secrets.ts'

test('names of secrets, names that the contract states, and words that only end like a secret', () => {
  const secrets = 'ApiKey ReadOnlyApiKey AWSSigningSecret Password LogForwardingToken api_key access-key Key API_KEY'
  const others = 'ErrorKey Hostname monkey Keyboard TokenCount PasswordPolicy EnableTokenAuthentication constructor'
  expect(`${secrets} ${others}`.split(' ').filter(isSecretField).join(' ')).toBe(secrets)
})

test('secrets are hidden at any depth; what has none is the same value', () => {
  const plain = { Items: [{ Id: 1, Name: 'a' }], ErrorKey: 'x' }
  expect(maskSecrets(plain)).toBe(plain)
  const zone = { Id: 1, Password: '', ApiKey: null, Keys: ['a', { deep: 'b' }], Nested: [{ Token: 't', Count: 2 }] }
  expect(maskSecrets(zone, '***')).toEqual({
    Id: 1,
    Password: '',
    ApiKey: null,
    Keys: ['***', { deep: '***' }],
    Nested: [{ Token: '***', Count: 2 }],
  })
})

test('a text that is cut, and JSON within JSON', () => {
  const inner = JSON.stringify({ ApiKey: 'canary', Name: 'a "b"', Secrets: ['canary', 'canary'] })
  const outer = JSON.stringify({ body: JSON.stringify({ body: inner }), Password: 'canary' })
  expect(maskSecretsInText(inner, '*')).toBe(JSON.stringify({ ApiKey: '*', Name: 'a "b"', Secrets: '*' }))
  for (let length = 0; length <= outer.length; length++)
    expect(maskSecretsInText(outer.slice(0, length))).not.toMatch(/cana/)
})

/** `value` generates JSON values in which each text below a secret name contains the canary, and no other text does. */
const canary = 'canary-7'
const name = fc.constantFrom(
  'Id',
  'Name',
  'ApiKey',
  'Password',
  'a "b"',
  'c\\',
  'AWSSigningSecret',
  'ümlaut',
  '__proto__',
)
const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '":"', '"ApiKey":"', '\u0000'))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.constant(null), fc.array(tie('value')), tie('object')),
  object: fc.array(fc.tuple(name, tie('value'))).map((members) => {
    const secret = (value: unknown): unknown =>
      typeof value === 'string' ? `${canary}${value}` : Array.isArray(value) ? value.map(secret) : null
    return Object.fromEntries(members.map(([key, each]) => [key, isSecretField(key) ? secret(each) : each]))
  }),
}))

test('no secret is left in a value or in its JSON, also within JSON', () => {
  fc.assert(
    fc.property(value, (given) => {
      const json = JSON.stringify(given)
      expect(JSON.stringify(maskSecrets(given))).not.toContain(canary)
      expect(maskSecretsInText(json)).not.toContain(canary)
      expect(maskSecretsInText(JSON.stringify({ body: json }))).not.toContain(canary)
    }),
    { numRuns: propertyRuns(300) },
  )
})
