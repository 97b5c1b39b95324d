/** Examples of an operation in three languages. All send the same request, which follows from the contract. A test runs each of them. */
import { inspect } from 'node:util'
import { contracts, type Operation } from '@cdn/api/contract'
import { operationExamples } from '@cdn/cli/scripts/examples.ts'
import { exampleRequest } from '@cdn/cli/src/operations/example.ts'
import { addressVariable } from '@cdn/kit/address-variable'
import { shellQuote } from '@cdn/kit/shell'

/** The file that examples upload. */
export const uploadFile = 'watermark.png'

/** Returns the title, the language and the text of each example. */
export function examplesOf(operation: Operation): (readonly [title: string, language: string, text: string])[] {
  const command = operationExamples.get(`${operation.interface}.${operation.name}`) ?? ''
  return [
    ['TypeScript', 'ts', typescript(operation)],
    ['curl', 'sh', curl(operation)],
    ['cdn', 'sh', command],
  ]
}

const code = (text: string) => ({ [inspect.custom]: () => text })
const hasFile = ({ requestBody }: Operation) =>
  requestBody !== undefined && !('application/json' in requestBody.content)

function typescript(operation: Operation): string {
  const { interface: name, method, path } = operation
  const { path: segments, others, body } = exampleRequest(operation)
  const create = `create${name.charAt(0).toUpperCase()}${name.slice(1)}Client`
  const scheme = contracts[name].schemes.find((known) => known.name === operation.schemes[0])
  const params = Map.groupBy([...segments, ...others], ([parameter]) => parameter.in)
  const types = operation.responses.flatMap(({ status, content }) => (/^2/.test(status) ? Object.keys(content) : []))
  const options = {
    ...(params.size > 0 && {
      params: Object.fromEntries(
        [...params].map(([place, values]) => [
          place,
          Object.fromEntries(values.map(([key, value]) => [key.name, value ?? code('today')])),
        ]),
      ),
    }),
    ...(body !== undefined && { body }),
    ...(hasFile(operation) && { body: code(`await readFile('${uploadFile}')`) }),
    ...(types.length > 0 && !types.some((type) => type.includes('json')) && { parseAs: 'text' }),
  }
  const call = `await unwrap(client.${method.toUpperCase()}('${path}', ${inspect(options, { depth: null, breakLength: 70 })}))`
  const day = operation.parameters.find((known) => known.day !== undefined)?.day
  return [
    ...(hasFile(operation) ? ["import { readFile } from 'node:fs/promises'"] : []),
    `import { ${create}, unwrap } from '@cdn/api'\n`,
    `const client = ${create}({`,
    `  baseUrl: process.env['${addressVariable(name)}'],`,
    ...(scheme ? [`  ${scheme.kind === 'key' ? 'accessKey' : 'bearer'}: process.env['${scheme.variable}'],`] : []),
    '})',
    ...(day
      ? [
          `const today = new Date().toISOString().replace(/^..(..)-(..)-(..).*/, '${day.replace('YY', '$1').replace('MM', '$2').replace('DD', '$3')}')`,
        ]
      : []),
    types.length > 0 ? `console.log(${call})` : call,
  ].join('\n')
}

function curl(operation: Operation): string {
  const { path, others, body } = exampleRequest(operation)
  const scheme = contracts[operation.interface].schemes.find(({ name }) => name === operation.schemes[0])
  const filled = path.reduce(
    (text, [{ name }, value]) =>
      text.replace(`{${name}}`, value === undefined ? '$(date -u +%m-%d-%y)' : encodeURIComponent(String(value))),
    operation.path,
  )
  const query = new URLSearchParams(
    others.flatMap(([{ in: place, name }, value]) => (place === 'query' ? [[name, String(value)]] : [])),
  )
  const credential = scheme && `"${scheme.header}: ${scheme.kind === 'bearer' ? 'Bearer ' : ''}$${scheme.variable}"`
  const type = hasFile(operation) ? 'application/octet-stream' : body === undefined ? undefined : 'application/json'
  return [
    `curl --request ${operation.method.toUpperCase()} "$${addressVariable(operation.interface)}${filled}${query.size > 0 ? `?${query}` : ''}"`,
    ...(credential ? [`--header ${credential}`] : []),
    ...others.flatMap(([{ in: place, name }, value]) =>
      place === 'header' ? [`--header ${shellQuote(`${name}: ${value}`)}`] : [],
    ),
    ...(type ? [`--header 'Content-Type: ${type}'`] : []),
    ...(body === undefined ? [] : [`--data ${shellQuote(JSON.stringify(body))}`]),
    ...(hasFile(operation) ? [`--data-binary @${uploadFile}`] : []),
  ].join(' \\\n  ')
}
