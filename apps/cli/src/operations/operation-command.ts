import { contracts, type Operation, type Parameter } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import { defined } from '@cdn/kit/defined'
import { type Argument, type CommandDeclaration, defineCommand, type Option } from '../commands/program/declaration.ts'
import { sharedNames, timeoutOption } from '../commands/program/shared-options.ts'
import { file, text, zone } from '../commands/program/value-type.ts'
import { describeOperation } from './describe-operation.ts'
import { commandExample } from './example.ts'
import { bodyFieldOf, type Field, parameterFieldOf, pathTypeOf } from './field-type.ts'
import { acceptOf } from './print-answer.ts'
import { isZone } from './resolve-zone.ts'
import type { OptionTarget } from './run-operation.ts'
import { documentOf, jsonBodySchema } from './schema.ts'

const body: Option = {
  value: { ...text, placeholder: '@file|-|text' },
  summary: 'Whole body: @FILE, - for standard input, or the text itself',
}
const outputFile: Option = { value: file, summary: 'Save the response in this file, replacing it if it exists' }
const yes: Option = { summary: 'Confirm without a prompt', short: 'y' }

/**
 * Creates the command of an operation from the contract.
 *
 * @param path names of the groups above the command, and its own name
 */
export function toCommand(operation: Operation, path: readonly string[]): CommandDeclaration {
  const { options, targets } = optionsOf(operation)
  return defineCommand({
    name: defined(path.at(-1)),
    summary: operation.summary,
    details: describeOperation(operation),
    arguments: argumentsOf(operation),
    options,
    examples: [commandExample(operation, path, spellingsOf(options, targets))],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => {
      const { runOperation } = await import('./run-operation.ts')
      return runOperation(context, operation, targets, input)
    },
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

function optionsOf(operation: Operation) {
  const api = documentOf(operation)
  const options: Record<string, Option> = {}
  const targets: Record<string, OptionTarget> = {}
  const add = (target: OptionTarget, { value, isList }: Field, description: string, isRequired: boolean) => {
    const plain = kebabCase(target.name)
    const isTaken = sharedNames.has(plain) || /^(body|yes|output-file|no-.*)$/.test(plain) || plain in options
    const name = isTaken ? `field-${plain}` : plain
    options[name] = {
      value,
      summary: summaryOf(description, value.must),
      ...(isRequired && { required: true as const }),
      ...(isList && { repeat: true as const }),
    }
    targets[name] = target
  }
  for (const parameter of operation.parameters) {
    const { in: place, name, schema, description, required } = parameter
    if (place !== 'query' && (place !== 'header' || isCredential(operation, parameter))) continue
    add({ place, name }, parameterFieldOf(schema, api), description, required)
  }
  const { properties = {}, required = [] } = jsonBodySchema(operation) ?? {}
  for (const [name, property] of Object.entries(properties)) {
    const { description = '' } = property
    // The body may also be given with --body, so a required field is checked with the body and not by commander.
    const note = required.includes(name) ? ' (required)' : ''
    const field = bodyFieldOf(property, api)
    add({ place: 'body', name }, field, `${summaryOf(description, field.value.must)}${note}`, false)
  }
  if (operation.requestBody) options['body'] = body
  if (acceptOf(operation).parseAs === 'stream') options['output-file'] = outputFile
  if (operation.effect === 'destructive' || operation.assumed) options['yes'] = yes
  options['timeout'] = timeoutOption
  return { options, targets }
}

function spellingsOf(
  options: Readonly<Record<string, Option>>,
  targets: Readonly<Record<string, OptionTarget>>,
): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(options).map((option) => {
      const target = targets[option]
      return [target ? `${target.place} ${target.name}` : `--${option}`, option]
    }),
  )
}

/** Whether a header carries the credential. The client sets such a header, so it has no option. */
export function isCredential(operation: Pick<Operation, 'interface'>, { name }: Pick<Parameter, 'name'>): boolean {
  const headers = contracts[operation.interface].schemes.map(({ header }) => header.toLowerCase())
  return [...headers, 'authorization', 'cookie'].includes(name.toLowerCase())
}

function summaryOf(description: string, must: string): string {
  return description.replace(/\.$/, '') || must.charAt(0).toUpperCase() + must.slice(1)
}
