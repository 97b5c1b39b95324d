/** The reference as Markdown, from the contract. */
import { type Contract, type Operation, plainSchema, type Schema } from '@cdn/api/contract'
import { markdownTable } from '@cdn/kit/markdown-table'
import { followReference } from '@cdn/kit/reference'
import { examplesOf } from './examples.ts'

/** Returns the page of an interface: each operation with its examples, parameters, responses and requirements. */
export function referenceText(contract: Contract): string {
  const { title, publicUrl, operations, interface: name } = contract
  return `# ${title}

The public address is \`${publicUrl}\`. See also the [OpenAPI document](${name}.json).

The examples work with [the emulator](../docs/emulator.md), which prints values for their variables.

${operations.map((operation) => operationText(contract, operation)).join('')}`
}

const effects = { read: 'Changes nothing.', write: 'Changes the resource.', destructive: 'Destructive.' }

function operationText(contract: Contract, operation: Operation): string {
  const { name, summary, method, path, source, effect, schemes, scopes, rateLimit, parameters, responses } = operation
  const { content = {} } = operation.requestBody ?? {}
  const ofOperation = ({ id }: { readonly id: string }) => id.startsWith(`${contract.interface}.${name}.`)
  const facts = [
    source === 'supplement' && 'Supplement: not in the spec, but publicly known.',
    effects[effect],
    `Credentials: ${schemes.join(' or ') || 'none'}.`,
    scopes.length > 0 && `Scopes (any of): ${scopes.join(', ')}.`,
    rateLimit && `Rate limit: ${rateLimit.requests} requests per ${rateLimit.windowMs / 1000} s and ${rateLimit.per}.`,
  ]
  const parameterRow = ({ name: key, in: place, required, schema, description }: (typeof parameters)[number]) => [
    code(key),
    `${place}${required ? ', required' : ''}`,
    `${typeOf(contract, schema)}. ${description}`,
  ]
  const fields = responses.flatMap(({ status, content: shown, line = [] }) => {
    const columns = line.map(({ name: key, type, extended }) => [
      code(key),
      type,
      extended ? 'Extended logging only.' : '',
    ])
    return status.startsWith('2') ? [...fieldsOf(contract, shown), ...columns] : []
  })
  const parts = [
    `## ${summary}`,
    code(`${method.toUpperCase()} ${path}`),
    facts.filter(Boolean).join(' '),
    table('Parameters', ['name', 'place', 'value'], parameters.map(parameterRow)),
    ...Object.keys(content).map((type) => `### Body: ${type}`),
    table('', ['field', 'type', 'meaning'], fieldsOf(contract, content)),
    table(
      'Responses',
      ['status', 'meaning'],
      responses.map(({ status, description, errorCode }) => [
        code(status),
        `${description} ${errorCode ? code(errorCode) : ''}`,
      ]),
    ),
    table('Fields of the response', ['field', 'type', 'meaning'], fields),
    list('Requirements', contract.requirements.filter(ofOperation)),
    list('Unspecified', contract.unspecified.filter(ofOperation)),
    ...examplesOf(operation).map(([title, language, text]) => `**${title}**\n\n\`\`\`${language}\n${text}\n\`\`\``),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n\n`
}

function code(text: string): string {
  return `\`${text}\``
}

function list(title: string, points: readonly { readonly id: string; readonly text: string }[]): string {
  const lines = points.map(({ id, text }) => `- ${text} ${code(id)}`)
  return lines.length > 0 ? `### ${title}\n\n${lines.join('\n')}` : ''
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')))
  return rows.length > 0 ? `${title && `### ${title}\n\n`}${markdownTable(head, cells)}` : ''
}

/** Maximum number of nested objects, lists and choices that the reference shows. A schema that refers to itself has no end. */
const maxDepth = 6

/** Lists the fields of a JSON body. A field of a nested object has the path to it as its name. */
function fieldsOf(contract: Contract, content: Readonly<Record<string, Schema>>): string[][] {
  const rows = (schema: Schema, prefix: string, depth = maxDepth): string[][] => {
    if (depth === 0) return []
    const { items, oneOf, anyOf, properties = {}, required = [] } = plain(contract, schema)
    if (items) return rows(items, `${prefix}[]`, depth - 1)
    const own = Object.entries(properties).flatMap(([name, field]) => {
      const path = `${prefix}${prefix && '.'}${name}`
      const type = `${typeOf(contract, field)}${required.includes(name) ? ', required' : ''}`
      return [[code(path), type, plain(contract, field).description ?? ''], ...rows(field, path, depth - 1)]
    })
    return [...own, ...(oneOf ?? anyOf ?? []).flatMap((choice) => rows(choice, prefix, depth - 1))]
  }
  return rows(content['application/json'] ?? {}, '')
}

function typeOf(contract: Contract, schema: Schema, depth = maxDepth): string {
  const { type = 'any', format, enum: values, items, oneOf, anyOf } = plain(contract, schema)
  if (items && depth > 0) return `list of ${typeOf(contract, items, depth - 1)}`
  const choices = depth > 0 ? (oneOf ?? anyOf) : undefined
  const types = choices?.map((choice) => typeOf(contract, choice, depth - 1)) ?? [type].flat()
  return `${types.join(' or ')}${format ? ` (${format})` : ''}${values ? `: ${values.map(String).map(code).join(', ')}` : ''}`
}

function plain({ openapi }: Contract, schema: Schema): Schema {
  return plainSchema(schema, (node) => followReference(openapi.full, node))
}
