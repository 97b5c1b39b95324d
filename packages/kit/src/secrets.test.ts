import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSecrets } from './secrets.ts'

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

test.each(Object.entries(encoders))('a secret is hidden in any text: %s', (name, encode) => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const secret = fc.string({ unit: character, minLength: 12, maxLength: 40 })
  fc.assert(
    fc.property(
      secret,
      fc.string({ unit: character, maxLength: 5 }),
      fc.string({ unit: character, maxLength: 5 }),
      (key, before, after) => {
        const shown = hideSecrets([key], '[redacted]')(encode(before + key + after))
        expect(shown).toContain('[redacted]')
        if (name.startsWith('base64')) {
          // The characters at the edges also depend on the text around the secret.
          const core = Buffer.from(key.slice(2, -2)).toString('base64').slice(0, -4)
          expect(shown).not.toContain(core)
        } else expect(shown).not.toContain(encode(key.slice(1, -1)).replaceAll(/^"|"$/g, ''))
      },
    ),
  )
})

test('the longest secret wins, a short one is not searched in base64, and other text stays', () => {
  const hide = hideSecrets(['canary', 'canary-longer', '', 'ab'], '***')
  expect(hide('a canary, canary-longer, YWI= and $& stay')).toBe('a ***, ***, YWI= and $& stay')
})
