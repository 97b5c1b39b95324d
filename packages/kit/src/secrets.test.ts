import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor, isSecret, redacted } from './secrets.ts'
import { propertyRuns } from './testing/property-runs.ts'
import { otherNames, secretNames } from './testing/secret-names.ts'

test('usual names of credentials are secret, those that only resemble one are not, and the contract decides about its own fields', () => {
  expect(secretNames.filter((name) => !isSecret(name))).toEqual([])
  // Names of headers arrive in lower case.
  expect(secretNames.filter((name) => !isSecret(`x-${name.toLowerCase()}`))).toEqual([])
  expect(otherNames.filter((name) => isSecret(name))).toEqual([])
  expect(isSecret('Hostname', { Hostname: true })).toBe(true)
  expect(isSecret('ErrorKey', { ErrorKey: false })).toBe(false)
})

const name = fc.constantFrom(...secretNames)
/** Without percent signs: a `%41` of the secret itself would count as encoded. */
const printable = (but = /%/) =>
  fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code).replace(but, '~'))
const word = fc.stringMatching(/^[\w.~-]{12,40}$/)

/** The forms in which a text has a secret below a name. */
const forms: Readonly<Record<string, (name: string, secret: string) => string>> = {
  query: (name, secret) => `GET /a?b=1&${name}=${secret}&c=2`,
  fragment: (name, secret) => `https://h.example/#${name}=${secret}`,
  path: (name, secret) => `/${name}=${secret}&expires=1/a.mp4`,
  'form body': (name, secret) => `a=b&${name}=${secret}`,
  cookie: (name, secret) => `a=b; ${name}=${secret}; Path=/`,
  header: (name, secret) => `${name}: ${secret}`,
  headers: (name, secret) => `accept: */*\r\n${name}: ${secret}; b="${secret}"\r\nhost: h`,
  'headers in JSON': (name, secret) =>
    JSON.stringify({ headers: `${name}: ${secret}\r\nHost: h\r\n${name}:${secret}`, b: 1 }),
  JSON: (name, secret) => JSON.stringify({ a: { [name]: secret } }),
  'a list in JSON': (name, secret) => JSON.stringify({ [name]: ['a]"', { b: secret }], c: 1 }),
  'a pair in JSON': (name, secret) => JSON.stringify([{ name, value: secret }]),
  'JSON in JSON': (name, secret) => JSON.stringify({ body: JSON.stringify({ a: 1, [name]: secret }) }),
  'JSON that is cut': (name, secret) => JSON.stringify({ [name]: secret }).slice(0, -2),
}
/** The forms that need no name. */
const bare: Readonly<Record<string, (secret: string) => string>> = {
  user: (secret) => `see https://${secret}@h.example/a`,
  password: (secret) => `{"Url":"ftps:\\/\\/user:${secret}@h.example/a"}`,
  bearer: (secret) => `a Bearer ${secret}, b`,
  basic: (secret) => `authorization is BASIC ${secret}`,
  'token of three parts': (secret) => `it is eyJ${secret}.${secret}.${secret} and`,
  'access key': (secret) => `the AccessKey: ${secret}`,
  authorization: (secret) => `sent authorization=${secret}`,
}
const { text, value } = createRedactor()

test.each(Object.entries(forms))('no secret is left below its name: %s', (_form, write) => {
  fc.assert(
    fc.property(name, word, (name, secret) => {
      const shown = text(write(name, secret))
      expect(shown).not.toContain(secret)
      expect(shown).toContain(redacted)
      expect(text(shown)).toBe(shown)
    }),
    { numRuns: propertyRuns(200) },
  )
})

test.each(Object.entries(bare))('no secret is left that looks like one: %s', (_form, write) => {
  fc.assert(
    fc.property(word, (secret) => {
      const shown = text(write(secret.replaceAll(/[.~]/g, '-')))
      expect(shown).not.toContain(secret)
      expect(shown).toContain(redacted)
      expect(text(shown)).toBe(shown)
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('texts without a secret stay', () => {
  for (const plain of [
    'Bearer token expected; Basic realm="a"; the key is wrong',
    'https://h.example/@user/a?page=2&perPage=5#top',
    '{"Items":[{"Id":1,"Name":"a \\"b\\""}],"Password":"","ApiKey":null}',
    'HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nx-request-id: 7',
    'a | b | c',
    '2026-11-27T13:44:13.000Z',
    'www.example.com and 1.2.3',
  ])
    expect(text(plain)).toBe(plain)
  const plain = { Items: [{ Id: 1, Name: 'a' }], Keys: null, Password: '', tokenCount: 2 }
  expect(value(plain)).toBe(plain)
})

test('a value: names, pairs and texts at any depth; numbers, booleans and empty texts stay', () => {
  const zone = {
    Id: 1,
    Password: '',
    ApiKey: null,
    Keys: ['a', { deep: 'b', pin: 7 }],
    Url: 'https://u:p@h/?token=t&a=1',
  }
  const list = [
    { name: 'Cookie', value: 's=1' },
    { value: 'x', key: 'path' },
  ]
  expect(value({ zone, list })).toEqual({
    zone: {
      Id: 1,
      Password: '',
      ApiKey: null,
      Keys: [redacted, { deep: redacted, pin: 7 }],
      Url: `https://${redacted}@h/?token=${redacted}&a=1`,
    },
    list: [
      { name: 'Cookie', value: redacted },
      { value: 'x', key: 'path' },
    ],
  })
  let deep: unknown = 'x'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(JSON.stringify(value(deep))).toContain(redacted)
})

/** In the values of `json`, each text below a secret name contains the canary, and no other text does. */
const canary = 'canary-7'
const key = fc.constantFrom(
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
const piece = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '":"', '"ApiKey":"', '\u0000'))
const { json } = fc.letrec((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, piece, fc.integer(), fc.constant(null), fc.array(tie('json')), tie('object')),
  object: fc.array(fc.tuple(key, tie('json'))).map((members) => {
    const secret = (value: unknown): unknown =>
      typeof value === 'string' ? `${canary}${value}` : Array.isArray(value) ? value.map(secret) : null
    return Object.fromEntries(members.map(([key, each]) => [key, isSecret(key) ? secret(each) : each]))
  }),
}))

test('no secret is left in a value or in its JSON, also within JSON, and wherever it is cut', () => {
  fc.assert(
    fc.property(json, fc.nat(300), (given, length) => {
      const written = JSON.stringify(given)
      const nested = JSON.stringify({ body: written })
      expect(JSON.stringify(value(given))).not.toContain(canary)
      for (const each of [written, nested, JSON.stringify([nested]), written.slice(0, length), nested.slice(0, length)])
        expect(text(each)).not.toContain(canary)
    }),
    { numRuns: propertyRuns(300) },
  )
})

test('a line of version 1: the credential at its place, or every extended field', () => {
  const lineFields = ['a', 'b', 'c', 'd', 'authorizationHeader'].map((name, index) => ({ name, extended: index > 1 }))
  const redactor = createRedactor({ lineFields })
  for (const [line, shown] of [
    ['1|2', '1|2'],
    ['1|2|3|4|x', `1|2|3|4|${redacted}`],
    ['1|2|3|4|-', '1|2|3|4|-'],
    ['1|2|3|x', `1|2|${redacted}`],
    ['1|2|3|4|5|x', `1|2|${redacted}`],
  ] as const) {
    expect(redactor.text(`${line}\n1|2`)).toBe(`${shown}\n1|2`)
    expect(redactor.text(JSON.stringify(`${line}\n1|2`))).toBe(JSON.stringify(`${shown}\n1|2`))
  }
})

const html = (text: string, quote: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", '&#39;')
const toEntities = (base: 10 | 16) => (text: string) =>
  text.replaceAll(/[^a-z\d]/gi, (one) => `&#${base === 16 ? 'x' : ''}${one.charCodeAt(0).toString(base)};`)
const escaped = (text: string) =>
  text.replaceAll(/[^a-z\d]/gi, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)

/** Encoders that a server or a gateway may apply to a text. */
const encoders: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  'another case': (text) => text.toUpperCase(),
  percent: encodeURIComponent,
  'percent, lower case': (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  'percent, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON with \\u': escaped,
  HTML: (text) => html(text, '&quot;'),
  'HTML, numbers': toEntities(10),
  'HTML, hexadecimal': toEntities(16),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
}

test.each(Object.entries(encoders))('a known secret, and a part of it, is hidden in any text: %s', (form, encode) => {
  const around = fc.string({ unit: printable(), maxLength: 5 })
  fc.assert(
    fc.property(
      fc.string({ unit: printable(), minLength: 12, maxLength: 40 }),
      fc.string({ unit: printable(/[\\%&]/), minLength: 12, maxLength: 40 }),
      around,
      around,
      fc.nat(4),
      fc.nat(4),
      fc.boolean(),
      (whole, simple, before, after, first, last, isWhole) => {
        // Characters that encodings use may not count towards the eight characters of a part.
        const secret = isWhole ? whole : simple
        const part = isWhole ? whole : simple.slice(first, Math.max(simple.length - last, first + 8))
        const shown = createRedactor({ secrets: [secret] }).text(encode(before + part + after))
        expect(shown).toContain(redacted)
        if (form.startsWith('base64')) {
          // The characters at the edges also depend on the text around the secret.
          const core = encode(part.slice(2, -2)).slice(0, -4)
          if (core.length >= 8) expect(shown).not.toContain(core)
        } else expect(shown).not.toContain(encode(part.slice(1, -1)).replaceAll(/^"|"$/g, ''))
      },
    ),
    { numRuns: propertyRuns(200) },
  )
})

test.each(Object.entries(encoders))('a known secret that looks encoded is hidden: %s', (_, encode) => {
  for (const secret of ['abcdefghijk%a0lmnop', 'ab&lt;cdefgh%25ijklm', 'abc\\u0041defghi&#65;jk']) {
    const shown = createRedactor({ secrets: [secret] }).text(encode(`x ${secret} y`))
    expect(shown).toContain(redacted)
    expect(shown).not.toMatch(/lmno|jklm|defghi/i)
  }
})

test('short secrets are not searched, other text stays, and long texts take linear time', () => {
  const secrets = ['canary', 'ab', '', 'longer-canary-text']
  const hide = createRedactor({ secrets }).text
  expect(hide('a canary, CANARY, a longer-canary-text, ab and $&')).toBe(
    `a ${redacted}, ${redacted}, a ${redacted}, ab and $&`,
  )
  for (const unit of ['\\', '"', 'eyJ', 'a.', '/', '//', '=', '&amp;', '%25', ': ', '{"a":', '|', 'Basic ', 'canar'])
    expect(hide(unit.repeat(100_000)).length).toBeGreaterThan(0)
})
