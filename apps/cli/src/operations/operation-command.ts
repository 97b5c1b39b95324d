import { type Contract, contracts, type Effect, type Operation, type Parameter } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/letter-case'
import { type Command, Option } from '@commander-js/extra-typings'
import {
  argument,
  describe,
  type Entry,
  option,
  repeatable,
  type StartCommand,
  timeoutOption,
} from '../program/command.ts'
import { sharedNames } from '../program/shared-options.ts'
import { text } from '../program/value-type.ts'
import { commandExample } from './example.ts'
import {
  boolean,
  documentOf,
  isCredential,
  isPaged,
  jsonBodySchema,
  type OptionTarget,
  optionTypeOf,
  pathTypeOf,
  type RequestOption,
  singular,
} from './schema.ts'

/**
 * Adds the command of an operation to its group.
 *
 * @param path names of the group and of the command
 */
export function addOperation(
  group: Command,
  operation: Operation,
  path: readonly [string, string],
  start: StartCommand,
): void {
  const requestOptions = requestOptionsOf(operation)
  const example = commandExample(operation, path, requestOptions)
  const command = describe(group.command(path[1]).summary(operation.summary), {
    operation: `${operation.interface}.${operation.name}`,
    details: describeOperation(operation),
    examples: isPaged(operation)
      ? [example, { text: 'All items, of all pages', line: `${example.line} --paginate` }]
      : [example],
    isRemote: true,
    hasOutput: true,
  })
  const inPath = pathParameters(operation)
  for (const parameter of inPath) {
    const value = pathTypeOf(operation, parameter)
    const orName = typeof value.completes === 'object' ? ', or its name' : ''
    const summary = `${summaryOf(parameter.description, value.must)}${orName}`
    command.addArgument(argument(`<${kebabCase(parameter.name)}>`, summary, value))
  }
  for (const each of [...requestOptions.map((known) => known.option), ...ownOptions(operation)]) command.addOption(each)
  command.action(() =>
    start(async (context) => {
      const args = inPath.map(({ name }, index) => [name, command.processedArgs[index]] as const)
      const input = { path: Object.fromEntries(args), options: command.opts(), requestOptions }
      return (await import('./run-operation.ts')).runOperation(context, operation, input)
    }),
  )
}

/** The path parameters in the order of the path, which may differ from the order of their declarations. */
function pathParameters({ path, parameters }: Operation): Parameter[] {
  const placeOf = ({ name }: Parameter) => path.indexOf(`{${name}}`)
  return parameters.filter((parameter) => parameter.in === 'path').sort((a, b) => placeOf(a) - placeOf(b))
}

/** Fields that every object inherits, such as `constructor`. Commander would take them for values of options. */
const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => !name.startsWith('_'))

/** Names of other options. A parameter or body field with such a name gets the option `--field-NAME`. */
const reserved = new Set([
  ...[...sharedNames, 'help', 'version', 'timeout', 'body', 'yes', 'paginate'],
  ...inherited.map(kebabCase),
])

/** The options of the parameters and body fields of an operation. */
export function requestOptionsOf(operation: Operation): readonly RequestOption[] {
  const api = documentOf(operation)
  const options: RequestOption[] = []
  const names = new Set<string>()
  const add = (
    target: OptionTarget,
    { value, isList }: ReturnType<typeof optionTypeOf>,
    description: string,
    isRequired = false,
  ) => {
    const plain = kebabCase(target.name)
    const name = reserved.has(plain) || plain.startsWith('no-') || names.has(plain) ? `field-${plain}` : plain
    names.add(name)
    const flags = `--${name} ${value === boolean ? `[${value.placeholder}]` : `<${value.placeholder}>`}`
    const summary = summaryOf(description, value.must)
    const declared = isList ? repeatable(flags, summary, value) : option(flags, summary, value)
    // The body may also be given with --body, so a required field is checked with the body and not by commander.
    options.push({ option: declared.makeOptionMandatory(isRequired && target.place !== 'body'), target })
  }
  for (const { in: place, name, schema, description, required } of operation.parameters) {
    if (place !== 'query' && (place !== 'header' || isCredential(name))) continue
    add({ place, name }, optionTypeOf(schema, api), description, required)
  }
  const { properties = {}, required = [] } = jsonBodySchema(operation) ?? {}
  for (const [name, property] of Object.entries(properties)) {
    const note = required.includes(name) ? ' (required)' : ''
    add({ place: 'body', name }, optionTypeOf(property, api), `${property.description ?? ''}${note}`)
  }
  return options
}

function ownOptions(operation: Operation): Option[] {
  return [
    ...(operation.requestBody
      ? [option('--body <@file|-|text>', 'Whole body: @FILE, - for standard input, or the text itself', text)]
      : []),
    ...(operation.effect === 'destructive' ? [new Option('-y, --yes', 'Confirm without a prompt')] : []),
    ...(isPaged(operation) ? [new Option('--paginate', 'Print the items of all pages, not of one page')] : []),
    timeoutOption,
  ]
}

function summaryOf(description: string, must: string): string {
  return description.replace(/\.(?= \(required\)$|$)/, '') || must.charAt(0).toUpperCase() + must.slice(1)
}

/** The operations of the logging interface that `cdn logs` calls. They get no second command. */
export const handWritten: ReadonlySet<string> = new Set(['logging.query-logs', 'logging.read-log-file'])

/** The groups of commands: one for each area with operations, except those that only `cdn logs` calls. */
export function operationGroups(): readonly Entry[] {
  return Object.values(contracts).flatMap(areaGroups)
}

/** The number of areas that have no operation. */
export function unspecifiedAreas(): number {
  return Object.values(contracts).flatMap((contract) =>
    contract.areas.filter(({ name }) => !contract.operations.some(({ area }) => area === name)),
  ).length
}

function areaGroups(contract: Contract): readonly Entry[] {
  const areas = contract.areas.flatMap(({ name }) => {
    const operations = contract.operations.filter(
      (operation) => operation.area === name && !handWritten.has(`${contract.interface}.${operation.name}`),
    )
    return operations.length === 0 ? [] : [{ name, operations, word: groupWord(name, operations) }]
  })
  return areas.map(({ name, operations, word: short }) => {
    const word = areas.some((other) => other.name !== name && other.word === short) ? kebabCase(name) : short
    const build = (group: Command, start: StartCommand) => {
      for (const [command, operation] of commandNames(word, operations))
        addOperation(group, operation, [word, command], start)
    }
    return { name: word, summary: name, heading: `${contract.title}:`, build }
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

const effects: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  write: 'Changes the resource.',
  destructive: 'Destructive: asks for confirmation, unless --yes is given.',
}

function describeOperation(operation: Operation): readonly string[] {
  const { method, path, schemes, scopes, rateLimit, responses } = operation
  const effect = effects[operation.effect]
  const credentials = schemes.length > 0 ? `Credentials: ${schemes.join(' or ')}.` : 'No credentials needed.'
  const anyOf = scopes.length > 0 ? ` Scopes (any of): ${scopes.join(', ')}.` : ''
  const limit =
    rateLimit && `Rate limit: ${rateLimit.requests} requests per ${rateLimit.windowMs / 1000} s and ${rateLimit.per}.`
  const list = responses.map(({ status, description, errorCode }) => {
    return `  ${status.padEnd(7)} ${description}${errorCode ? ` (${errorCode})` : ''}`
  })
  return [
    `Request: ${method.toUpperCase()} ${path}. ${effect}`,
    `${credentials}${anyOf}`,
    ...(limit ? [limit] : []),
    ['Responses:', ...list].join('\n'),
  ]
}
