import { contracts, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { type Argument, type Command, defineCommand, type Option } from '../command/command.ts'
import { sharedNames } from '../command/shared-options.ts'
import { text } from '../command/value-type.ts'
import { describeOperation } from './describe-operation.ts'
import { exampleOf } from './example.ts'
import { kebabCase } from './names.ts'
import { fieldOf, flatten, jsonBodySchema, pathValueOf, propertiesOf } from './schema.ts'

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
    details: describeOperation(operation),
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
