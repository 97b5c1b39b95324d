import { contracts, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { type Argument, type Command, defineCommand, type Example, type Option } from '../command/command.ts'
import { sharedNames } from '../command/shared-options.ts'
import { text } from '../command/value-type.ts'
import { standingOf } from './find-sections.ts'
import { kebabCase } from './names.ts'
import { fieldOf, flatten, pathValueOf, propertiesOf } from './schema.ts'

/** Where the value of an option goes. */
export interface Target {
  readonly place: 'query' | 'header' | 'body'
  /** As the contract has it. */
  readonly name: string
}

const body: Option = {
  value: { ...text, placeholder: '@FILE|-|TEXT' },
  summary: 'The whole body: of a file, of standard input, or as it is',
}
const yes: Option = { summary: 'Do it without asking', short: 'y' }

/** Makes the command of an operation: nothing about a single operation is written anywhere but in the contract. */
export function toCommand(operation: Operation): Command {
  const { options, targets } = optionsOf(operation)
  return defineCommand({
    name: operation.name,
    summary: operation.summary,
    details: describe(operation),
    arguments: argumentsOf(operation),
    options,
    examples: [exampleOf(operation)],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => {
      const { runOperation } = await import('./run-operation.ts')
      return runOperation(context, operation, targets, input)
    },
  })
}

function argumentsOf(operation: Operation): Record<string, Argument> {
  const api = contracts[operation.interface].openapi.full
  return Object.fromEntries(
    operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [
        parameter.name,
        { value: pathValueOf(parameter, api), summary: withoutStop(parameter.description) },
      ]),
  )
}

/** The body's schema as JSON, where the operation takes JSON. */
export function jsonBodySchema(operation: Operation): Schema | undefined {
  const schema = operation.requestBody?.content['application/json']
  return schema && flatten(schema, contracts[operation.interface].openapi.full)
}

interface Made {
  readonly options: Readonly<Record<string, Option>>
  readonly targets: Readonly<Record<string, Target>>
}

function optionsOf(operation: Operation): Made {
  const api = contracts[operation.interface].openapi.full
  const options: Record<string, Option> = {}
  const targets: Record<string, Target> = {}
  const add = (
    target: Target,
    schema: Schema,
    about: Pick<Parameter, 'description' | 'required'>,
    isSupplement: boolean,
  ) => {
    const { value, isList } = fieldOf(schema, api)
    const plain = kebabCase(target.name)
    const isTaken = sharedNames.has(plain) || plain === 'body' || plain === 'yes' || plain in options
    const name = isTaken ? `field-${plain}` : plain
    // A body field that is required may also come by --body, so it is checked with the body.
    const isRequired = about.required && target.place !== 'body'
    options[name] = {
      value,
      summary: withoutStop(about.description),
      ...(isRequired && { required: true as const }),
      ...(isList && { repeat: true as const }),
      ...(isSupplement && { ground: 'supplement' as const }),
    }
    targets[name] = target
  }
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' && parameter.in !== 'header') continue
    add({ place: parameter.in, name: parameter.name }, parameter.schema, parameter, parameter.ground === 'supplement')
  }
  const schema = jsonBodySchema(operation)
  const documented = operation.documented?.requestBody?.content['application/json']
  const shown = documented ? propertiesOf(flatten(documented, api)) : {}
  for (const [name, property] of Object.entries(schema ? propertiesOf(schema) : {})) {
    const required = ((schema?.['required'] as string[] | undefined) ?? []).includes(name)
    const { description = '' } = property as { description?: string }
    add({ place: 'body', name }, property, { description, required }, !(name in shown))
  }
  if (operation.requestBody) options['body'] = body
  if (operation.effect === 'destructive') options['yes'] = yes
  return { options, targets }
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** The paragraphs of the help: where it stands, what it does, who may, and what nobody says. */
function describe(operation: Operation): readonly string[] {
  const { section, others, notShown } = standingOf(operation)
  const place = section
    ? `The document, §${section}${others.length > 0 ? `; also ${others.map((other) => `§${other}`).join(', ')}` : ''}.`
    : 'Not in the document: known from public facts (supplement).'
  const effects = {
    read: 'It changes nothing.',
    write: 'It changes the resource.',
    destructive: 'It destroys something, so it asks first; --yes answers.',
  }
  const schemes =
    operation.schemes.length > 0 ? `Credential: ${operation.schemes.join(' or ')}.` : 'It needs no credential.'
  const scopes = operation.scopes.length > 0 ? ` Scope, any of: ${operation.scopes.join(', ')}.` : ''
  const limit = operation.rateLimit
  const answers = operation.responses.map(
    ({ status, description, errorCode }) => `  ${status.padEnd(7)} ${description}${errorCode ? ` (${errorCode})` : ''}`,
  )
  return [
    `${operation.method.toUpperCase()} ${operation.path} of the ${operation.interface} interface. ${place}`,
    `${effects[operation.effect]} ${schemes}${scopes}`,
    ...(limit
      ? [`Rate limit: ${limit.requests} requests in ${limit.windowMs / 1000} s for each ${limit.per} (§8).`]
      : []),
    ['Answers:', ...answers].join('\n'),
    ...(notShown.length > 0
      ? [
          ['Not shown by the document:', ...notShown.map(({ section: at, text: what }) => `  §${at}  ${what}`)].join(
            '\n',
          ),
        ]
      : []),
  ]
}

/** Ids that the emulator knows, by the resource in the path, so that the example runs. */
const exampleIds: Readonly<Record<string, string>> = { videolibrary: '1001', pullzone: '2001', pullzones: '2002' }

function exampleOf(operation: Operation): Example {
  const segments = operation.path.split('/')
  const values = segments.flatMap((segment, index) =>
    [...segment.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      if (name === 'date') return '$(date -u +%m-%d-%y)'
      return exampleIds[segments[index - 1] ?? ''] ?? (/id$/i.test(name) ? '2002' : 'VALUE')
    }),
  )
  const schema = jsonBodySchema(operation)
  const required = (schema?.['required'] as readonly string[] | undefined) ?? []
  const fields = required.map((name) => `--${kebabCase(name)} ${name === 'Hostname' ? "'*.example.com'" : 'VALUE'}`)
  const raw = operation.requestBody && !schema ? ['--body @watermark.png'] : []
  const isAsked = operation.effect === 'destructive' ? ['--yes'] : []
  const words = ['cdn', kebabCase(operation.area), operation.name, ...values, ...fields, ...raw, ...isAsked]
  return { text: operation.summary, line: words.join(' ') }
}
