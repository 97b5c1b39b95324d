/** Examples of an operation. All three send the same request, which follows from the contract. A test runs each of them. */
import { inspect } from 'node:util'
import { contracts, type Operation } from '@cdn/api/contract'
import { operationExamples } from '@cdn/cli/scripts/examples.ts'
import { exampleRequest } from '@cdn/cli/src/operations/example.ts'
import { isPaged } from '@cdn/cli/src/operations/schema.ts'
import { addressVariable } from '@cdn/kit/address-variable'
import { curlWords } from '@cdn/kit/shell'

/** The file that examples upload. */
export const uploadFile = 'watermark.png'
/** Length of a line from which an example is broken. */
const maxLength = 70

/** Returns the examples of an operation: the title, the language and the text of each. */
export function examplesOf(
  operation: Operation,
): readonly (readonly [title: string, language: string, text: string])[] {
  const command = operationExamples.get(`${operation.interface}.${operation.name}`) ?? ''
  return [
    ['TypeScript', 'ts', typescript(operation)],
    ['curl', 'sh', curl(operation)],
    ['cdn', 'sh', command],
  ]
}

/** A piece of code among the values of a literal. */
class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  [inspect.custom](): string {
    return this.text
  }
}

function typescript(operation: Operation): string {
  const { interface: name, method, path } = operation
  const { source, schemes } = contracts[name]
  const scheme = schemes.find((known) => known.name === operation.schemes[0])
  const create = source === 'spec' ? `create${name.charAt(0).toUpperCase()}${name.slice(1)}Client` : 'createClient'
  const isList = isPaged(operation)
  const day = operation.parameters.find((known) => known.day !== undefined)?.day
  const pattern = day?.replace('YY', '$1').replace('MM', '$2').replace('DD', '$3')
  const types = successTypes(operation)
  const init = initOf(operation)
  const call = `unwrap(\n  client.${method.toUpperCase()}('${path}'${init === '{}' ? '' : `, ${init.replaceAll('\n', '\n  ')}`}),\n)`
  return [
    ...(isUpload(operation) ? [`import { readFile } from 'node:fs/promises'`] : []),
    `import { ${create}, ${isList ? 'paginate' : 'unwrap'} } from '@cdn/api'`,
    '',
    `const client = ${create}(${source === 'spec' ? '' : `'${name}', `}{`,
    `  baseUrl: process.env['${addressVariable(name)}'],`,
    ...(scheme ? [`  ${scheme.kind === 'key' ? 'accessKey' : 'bearer'}: process.env['${scheme.variable}'],`] : []),
    '})',
    ...(pattern ? [`const today = new Date().toISOString().replace(/^..(..)-(..)-(..).*/, '${pattern}')`] : []),
    ...(isList
      ? [`for await (const item of paginate(client, '${path}')) console.log(item)`]
      : types.length > 0
        ? [`const result = await ${call}`, 'console.log(result)']
        : [`await ${call}`]),
  ].join('\n')
}

/** Creates the second argument of a client's method. */
function initOf(operation: Operation): string {
  const { path, others, body } = exampleRequest(operation)
  const places = Map.groupBy([...path, ...others], ([parameter]) => parameter.in)
  const params = [...places].map(([place, values]) => [
    place,
    Object.fromEntries(values.map(([{ name }, value]) => [name, value ?? new Code('today')])),
  ])
  const types = successTypes(operation)
  const init = {
    ...(params.length > 0 && { params: Object.fromEntries(params) }),
    ...(body !== undefined && { body }),
    ...(isUpload(operation) && { body: new Code(`await readFile('${uploadFile}')`) }),
    ...(types.length > 0 && !types.some((type) => type.includes('json')) && { parseAs: 'text' }),
  }
  return inspect(init, { depth: null, breakLength: maxLength })
}

function successTypes({ responses }: Operation): string[] {
  return responses.flatMap(({ status, content }) => (status.startsWith('2') ? Object.keys(content) : []))
}

/** Whether the body is a file. */
function isUpload({ requestBody }: Operation): boolean {
  return requestBody !== undefined && !('application/json' in requestBody.content)
}

function curl(operation: Operation): string {
  const { path, others, body } = exampleRequest(operation)
  const scheme = contracts[operation.interface].schemes.find(({ name }) => name === operation.schemes[0])
  const filled = path.reduce(
    (text, [{ name }, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value ?? 'TODAY'))),
    operation.path,
  )
  const url = new URL(filled, 'http://address.invalid')
  const type = isUpload(operation) ? 'application/octet-stream' : body === undefined ? undefined : 'application/json'
  const headers = new Map<string, string>([
    ...(scheme ? [[scheme.header, ''] as const] : []),
    ...(type ? [['Content-Type', type] as const] : []),
  ])
  for (const [{ in: place, name }, value] of others)
    (place === 'query' ? url.searchParams : headers).set(name, String(value))
  const credential = `${scheme?.kind === 'bearer' ? 'Bearer ' : ''}$${scheme?.variable}`
  const words = curlWords(
    {
      method: operation.method.toUpperCase(),
      url: url.href,
      headers,
      body: body === undefined ? '' : JSON.stringify(body),
    },
    new Map(scheme ? [[scheme.header.toLowerCase(), credential]] : []),
  )
  const line = [...words, ...(isUpload(operation) ? ['--data-binary', `@${uploadFile}`] : [])]
    .map((word) => word.replace(/('?)http:\/\/address\.invalid/, `"$${addressVariable(operation.interface)}"$1`))
    .map((word) => word.replace('TODAY', '$(date -u +%m-%d-%y)'))
  const isFirst = (word: string, index: number) => word.startsWith('--') || line[index - 2] === '--request'
  return line.join(' ').length > maxLength
    ? line.map((word, index) => (index > 1 && isFirst(word, index) ? `\\\n  ${word}` : word)).join(' ')
    : line.join(' ')
}
