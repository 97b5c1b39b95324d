import { contracts, type Operation, operations, type Parameter, type Schema } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { parseInput } from '../command/parse-input.ts'
import { optionEntries } from '../help/usage.ts'
import { toCommand } from './operation-command.ts'

const now = new Date('2026-06-17T14:30:00Z')

/** An operation of an area that is to come. */
function operationWith(
  parameters: readonly Parameter[],
  body: Schema | undefined,
  effect: Operation['effect'] = 'write',
): Operation {
  return {
    interface: 'management',
    name: 'make-thing',
    method: 'post',
    path: '/thing/{name}',
    area: 'Things',
    summary: 'Make a thing',
    effect,
    ground: 'document',
    schemes: ['AccessKey'],
    scopes: [],
    parameters,
    responses: [{ status: '201', description: 'It is made.', content: {} }],
    ...(body && { requestBody: { required: true, content: { 'application/json': body } } }),
  }
}

function parameter(name: string, place: Parameter['in'], schema: Schema, required = false): Parameter {
  return { name, in: place, required, description: `The ${name}.`, schema, ground: 'document' }
}

const path = parameter('name', 'path', { type: 'string', minLength: 2 })
const parse = (operation: Operation, ...words: string[]) => parseInput(toCommand(operation), words, now)

test('parameters and body fields are options of the right types', () => {
  const body: Schema = {
    type: 'object',
    allOf: [
      { type: 'object', properties: { FromAll: { type: ['boolean', 'null'] } } },
      { $ref: '#/components/schemas/Error' },
    ],
    properties: {
      OriginURLList: { type: 'array', items: { type: 'string' } },
      MaxAge: { type: 'integer', minimum: 0, maximum: 10 },
      Ratio: { type: 'number' },
      Kind: { type: 'string', enum: ['one', 'two'] },
      Deep: { type: 'object' },
      Since: { type: 'string', format: 'date-time' },
    },
  }
  const operation = operationWith([path, parameter('x-trace', 'header', { type: 'string' })], body)
  const line =
    'ab --origin-url-list a --origin-url-list b --max-age 10 --ratio 0.5 --kind two --deep {"a":[1]} --from-all --x-trace t --error-key k --since 30m'
  expect(parse(operation, ...line.split(' '))).toMatchObject({
    arguments: { name: 'ab' },
    options: {
      'origin-url-list': ['a', 'b'],
      'max-age': 10,
      ratio: 0.5,
      kind: 'two',
      deep: { a: [1] },
      'from-all': true,
      'x-trace': 't',
      'error-key': 'k',
      since: '2026-06-17T14:00:00.000Z',
    },
  })
  expect(() => parse(operation, 'ab', '--max-age', '11')).toThrow(
    '--max-age must be an integer, at least 0 and at most 10, not "11"',
  )
  expect(() => parse(operation, 'ab', '--deep', '{')).toThrow('--deep must be a JSON value, not "{"')
  expect(() => parse(operation, 'a')).toThrow('NAME must be a text, its length at least 2, not "a"')
})

test('a name that every command has, or that comes twice, gets another one', () => {
  const names = ['output', 'query', 'profile', 'verbose', 'help', 'dry-run', 'body', 'yes']
  const operation = operationWith([path, ...names.map((name) => parameter(name, 'query', { type: 'string' }))], {
    type: 'object',
    properties: { Twice: { type: 'string' }, twice: { type: 'string' } },
  })
  const { own } = optionEntries(toCommand(operation))
  const spelled = own.map(([name]) => name.trim().split(' ')[0])
  expect(spelled).toEqual([...names.map((name) => `--field-${name}`), '--twice', '--field-twice', '--body'])
})

test('what is required must be given', () => {
  const operation = operationWith([path, parameter('from', 'query', { type: 'string' }, true)], undefined)
  expect(() => parse(operation, 'ab')).toThrow('--from TEXT is missing: The from')
})

test('only what is destructive asks', () => {
  expect(optionEntries(toCommand(operationWith([path], undefined, 'destructive'))).own.map(([name]) => name)).toEqual([
    '-y, --yes',
  ])
  expect(optionEntries(toCommand(operationWith([path], undefined))).own).toEqual([])
})

test('help cites the section, and names everything that is not shown', () => {
  for (const operation of operations) {
    const text = toCommand(operation).details?.join('\n') ?? ''
    const { notShown, requirements } = contracts[operation.interface]
    const prefix = `${operation.interface}.${operation.name}.`
    for (const entry of notShown) expect(text.includes(entry.text)).toBe(entry.id.startsWith(prefix))
    const section = requirements.find(({ id, section: at }) => id.startsWith(prefix) && at.startsWith('4.'))?.section
    expect(text).toContain(operation.ground === 'document' ? `The document, §${section}` : '(supplement)')
  }
  const sections = operations
    .filter(({ ground }) => ground === 'document')
    .map((operation) => toCommand(operation).details?.[0])
  expect(sections.map((text) => /§[\d.]+\d/.exec(text ?? '')?.[0])).toEqual(
    expect.arrayContaining(['§4.1', '§4.2', '§4.3']),
  )
})
