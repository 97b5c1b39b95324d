import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../errors/command-error.ts'
import { defineCommand } from './command.ts'
import { parseInput } from './parse-input.ts'
import { boolean, choice, file, id, integer, text } from './value-type.ts'

const now = new Date('2026-06-17T14:30:00Z')
const command = defineCommand({
  name: 'cut',
  summary: 'Cut',
  arguments: { pullZoneId: { value: id, summary: 'Zone' }, rest: { value: text, summary: 'Rest', rest: true } },
  options: {
    limit: { value: integer(1, 100), summary: 'Limit', short: 'n', default: 10 },
    order: { value: choice('asc', 'desc'), summary: 'Order' },
    shield: { value: boolean, summary: 'Shield' },
    field: { value: text, summary: 'Field', repeat: true },
    from: { value: file, summary: 'File' },
    all: { summary: 'All', short: 'a' },
  },
  run: async () => {},
})
const parse = (...words: string[]) => parseInput(command, words, now)

describe('values', () => {
  test('have the types that are declared, wherever they stand', () => {
    const { arguments: given, options } = parse(
      '-n',
      '3',
      '9007199254740993',
      '--field=a=b',
      'x',
      '--field',
      '',
      '-a',
      '-',
    )
    expect(given).toEqual({ pullZoneId: 9007199254740993n, rest: ['x', '-'] })
    expect(options).toMatchObject({ limit: 3, field: ['a=b', ''], all: true, order: undefined, from: undefined })
  })

  test('that are left out have their defaults', () => {
    expect(parse('1').options).toMatchObject({ limit: 10, field: [], all: false, help: false, shield: undefined })
  })

  test('a boolean may stand alone', () => {
    expect(parse('1', '--shield').options['shield']).toBe(true)
    expect(parse('--shield', 'false', '1').options['shield']).toBe(false)
    expect(parse('--shield', '1')).toMatchObject({ arguments: { pullZoneId: 1 }, options: { shield: true } })
  })

  test('after two hyphens everything is an argument', () => {
    expect(parse('1', '--', '--all', '-n').arguments['rest']).toEqual(['--all', '-n'])
  })

  test('help wins over everything that is wrong', () => {
    expect(parse('--limit', '0', '--help').options).toEqual({ help: true })
  })

  test('any text reaches its option as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(parse('1', `--field=${value}`).options['field']).toEqual([value])
      }),
      { examples: [['--all'], ['a=b'], ['-'], ['\u001b[2J']] },
    )
  })
})

describe('what is wrong is named, with what would be right', () => {
  test.each([
    [['x'], 'PULL-ZONE-ID must be the id of a resource, a 64-bit integer, not "x"'],
    [['-5'], 'PULL-ZONE-ID must be the id of a resource, a 64-bit integer, not "-5"'],
    [['9223372036854775808'], 'PULL-ZONE-ID must be the id of a resource, a 64-bit integer, not "9223372036854775808"'],
    [[], 'PULL-ZONE-ID is missing: the id of a resource, a 64-bit integer. See --help.'],
    [['1', '--limit', '0'], '--limit must be an integer from 1 to 100, not "0"'],
    [['1', '--limit', '1e1'], '--limit must be an integer from 1 to 100, not "1e1"'],
    [['1', '-n'], '--limit needs a value: an integer from 1 to 100'],
    [['1', '--limit', '--all'], '--limit needs a value: an integer from 1 to 100'],
    [['1', '--limit', '1', '-n', '2'], '--limit is given twice'],
    [['1', '--order', 'dsc'], '--order must be asc or desc, not "dsc"'],
    [['1', '--limi', '1'], 'There is no option --limi. Did you mean --limit?'],
    [['1', '--key=SECRET'], 'There is no option --key. See --help.'],
    [['1', '-x'], 'There is no option -x. See --help.'],
    [['1', '--all=yes'], '--all takes no value'],
    [['1', '--shield=maybe'], '--shield must be true or false, not "maybe"'],
    [['1', '--constructor', 'x'], 'There is no option --constructor. See --help.'],
  ])('%j', (words, message) => {
    expect(() => parse(...words)).toThrow(new UsageError(message))
  })

  test('an argument too many is not repeated: it may be a key', () => {
    const plain = defineCommand({ name: 'login', summary: 'Log in', run: async () => {} })
    const login = () => parseInput(plain, ['SECRET'], now)
    expect(login).toThrow(new UsageError('1 argument is given, and the command takes no argument. See --help.'))
  })
})
