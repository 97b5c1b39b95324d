import { type Contract, contracts, type Effect, type Operation, type Parameter } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import {
  type Argument,
  type CommandDeclaration,
  type CommandGroup,
  defineCommand,
  type Entry,
  sharedNames,
  timeoutOption,
} from '../commands/program/declaration.ts'
import { file, text, zone } from '../commands/program/value-type.ts'
import { commandExample } from './example.ts'
import {
  acceptOf,
  documentOf,
  fieldOf,
  isCredential,
  isPaged,
  isZone,
  jsonBodySchema,
  type OperationOptions,
  pathTypeOf,
  type Target,
} from './schema.ts'

/**
 * Creates the command of an operation from the contract.
 *
 * @param path names of the groups above the command, and its own name
 */
export function toCommand(operation: Operation, path: readonly string[]): CommandDeclaration {
  const options = optionsOf(operation)
  const example = commandExample(operation, path, options)
  return defineCommand({
    name: defined(path.at(-1)),
    summary: operation.summary,
    operation: `${operation.interface}.${operation.name}`,
    details: describeOperation(operation),
    arguments: argumentsOf(operation),
    options,
    examples: isPaged(operation)
      ? [example, { text: 'All items, of all pages', line: `${example.line} --paginate` }]
      : [example],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) =>
      (await import('./run-operation.ts')).runOperation(context, operation, options, input),
  })
}

/** The arguments follow the order of the path, whatever the order of the declarations is. */
function argumentsOf(operation: Operation): Record<string, Argument> {
  const placeOf = ({ name }: Parameter) => operation.path.indexOf(`{${name}}`)
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'path')
  return Object.fromEntries(
    parameters
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((parameter) => {
        const value = isZone(operation, parameter.name) ? zone : pathTypeOf(parameter, documentOf(operation))
        return [parameter.name, { value, summary: summaryOf(parameter.description, value.must) }]
      }),
  )
}

function optionsOf(operation: Operation): OperationOptions {
  const api = documentOf(operation)
  const options: Record<string, OperationOptions[string]> = {}
  const add = (
    target: Target,
    { value, isList }: ReturnType<typeof fieldOf>,
    description: string,
    isRequired = false,
    note = '',
  ) => {
    const plain = kebabCase(target.name)
    const isTaken = sharedNames.has(plain) || /^(body|yes|output-file|paginate|no-.*)$/.test(plain) || plain in options
    options[isTaken ? `field-${plain}` : plain] = {
      value,
      summary: `${summaryOf(description, value.must)}${note}`,
      ...(isRequired && { required: true as const }),
      ...(isList && { repeat: true as const }),
      target,
    }
  }
  for (const { in: place, name, schema, description, required } of operation.parameters) {
    if (place !== 'query' && (place !== 'header' || isCredential(name))) continue
    add({ place, name }, fieldOf(schema, api), description, required)
  }
  const { properties = {}, required = [] } = jsonBodySchema(operation) ?? {}
  for (const [name, property] of Object.entries(properties)) {
    // The body may also be given with --body, so a required field is checked with the body and not by commander.
    const note = required.includes(name) ? ' (required)' : ''
    add({ place: 'body', name }, fieldOf(property, api, true), property.description ?? '', false, note)
  }
  return {
    ...options,
    ...(operation.requestBody && {
      body: {
        value: { ...text, placeholder: '@file|-|text' },
        summary: 'Whole body: @FILE, - for standard input, or the text itself',
      },
    }),
    ...(acceptOf(operation).parseAs === 'stream' && {
      'output-file': { value: file, summary: 'Save the response in this file, replacing it if it exists' },
    }),
    ...(operation.effect === 'destructive' && { yes: { summary: 'Confirm without a prompt', short: 'y' } }),
    ...(isPaged(operation) && { paginate: { summary: 'Read all pages, and print their items as one list' } }),
    timeout: timeoutOption,
  }
}

function summaryOf(description: string, must: string): string {
  return description.replace(/\.$/, '') || must.charAt(0).toUpperCase() + must.slice(1)
}

/** The operations of the logging interface that `cdn logs` calls. They get no second command. */
export const handWritten: ReadonlySet<string> = new Set(['logging.query-logs', 'logging.read-log-file'])

/** Groups the operations of both interfaces into commands: each area is a command of `cdn`. */
export function operationGroups(): readonly Entry[] {
  return Object.values(contracts).flatMap(areaGroups)
}

/** The number of areas that have no operation. */
export function unspecifiedAreas(): number {
  return Object.values(contracts).flatMap((contract) =>
    contract.areas.filter(({ name }) => !contract.operations.some(({ area }) => area === name)),
  ).length
}

function areaGroups(contract: Contract): readonly CommandGroup[] {
  const areas = contract.areas.flatMap(({ name }) => {
    const operations = contract.operations.filter(
      (operation) => operation.area === name && !handWritten.has(`${contract.interface}.${operation.name}`),
    )
    return operations.length === 0 ? [] : [{ name, operations, word: groupWord(name, operations) }]
  })
  return areas.map(({ name, operations, word: short }) => {
    const word = areas.some((other) => other.name !== name && other.word === short) ? kebabCase(name) : short
    const load = async () =>
      commandNames(word, operations).map(([command, operation]) => toCommand(operation, [word, command]))
    return { kind: 'group', name: word, summary: name, heading: `${contract.title}:`, load }
  })
}

/**
 * The word of an area's group. It is the name of the area, without leading words that its operations omit: `video-library` for the
 * area Stream Video Library with the operation `get-video-library`. A single word would be too general.
 */
function groupWord(area: string, operations: readonly Operation[]): string {
  const full = kebabCase(area)
  const nouns = operations.map(({ name }) => singular(name.replace(/^[^-]*-?/, '')))
  return nouns.find((noun) => noun.includes('-') && singular(full).endsWith(`-${noun}`)) ?? full
}

/**
 * The names of a group's commands. A name that consists of a verb and the group's word becomes the verb: `pull-zone list` for
 * `list-pull-zones`. All other names stay whole, and so do two names that would become the same verb.
 */
function commandNames(word: string, operations: readonly Operation[]): readonly (readonly [string, Operation])[] {
  const shortOf = ({ name }: Operation) => {
    const [, verb = '', noun = ''] = /^([^-]+)-(.+)$/.exec(name) ?? []
    return singular(noun) === singular(word) ? verb : name
  }
  const counts = Map.groupBy(operations, shortOf)
  return operations.map((operation) => {
    const short = shortOf(operation)
    return [counts.get(short)?.length === 1 ? short : operation.name, operation]
  })
}

function singular(words: string): string {
  return words.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
}

const effects: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  write: 'Changes the resource.',
  destructive: 'Destructive: asks for confirmation, unless --yes is given.',
}

function describeOperation(operation: Operation): readonly string[] {
  const { method, path, effect, schemes, scopes, rateLimit, responses } = operation
  const credentials = schemes.length > 0 ? `Credentials: ${schemes.join(' or ')}.` : 'No credentials needed.'
  const anyOf = scopes.length > 0 ? ` Scopes (any of): ${scopes.join(', ')}.` : ''
  const limit =
    rateLimit && `Rate limit: ${rateLimit.requests} requests per ${rateLimit.windowMs / 1000} s and ${rateLimit.per}.`
  const list = responses.map(({ status, description, errorCode }) => {
    return `  ${status.padEnd(7)} ${description}${errorCode ? ` (${errorCode})` : ''}`
  })
  return [
    `Request: ${method.toUpperCase()} ${path}. ${effects[effect]}`,
    `${credentials}${anyOf}`,
    ...(limit ? [limit] : []),
    ['Responses:', ...list].join('\n'),
  ]
}
