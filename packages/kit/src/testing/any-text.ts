import fc from 'fast-check'

/** Any character except surrogates. `fc.string({ unit: 'binary' })` first builds a table of all characters, which takes a second. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

/** Well-formed text of any characters: no lone surrogates. */
export const anyText = fc.string({ unit: anyCharacter })
