/**
 * A program for a copy of the repository. It sends each operation of each imported interface, and prints requests that went to a
 * wrong target.
 */
import { createClient } from '@cdn/api'
import type { Contract, Operation } from '@cdn/api/contract'
import { importedContracts, startRecordingServer } from './recording-server.ts'

type Send = (method: string, path: string, options: object) => Promise<unknown>

/** Returns the scheme whose credential is sent: a key if the interface takes one, otherwise a bearer token. */
const schemeOf = ({ schemes }: Contract) => schemes.find(({ kind }) => kind === 'key') ?? schemes[0]

/** Sends one operation with a value for each path parameter and the credential, and nothing else. */
async function send(contract: Contract, { method, path, parameters }: Operation, options: object): Promise<void> {
  const values = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => [name, '1'])
  const text = `key-of-${contract.interface}`
  const scheme = schemeOf(contract)
  const credential = scheme && (scheme.kind === 'key' ? { accessKey: text } : { bearer: text })
  const client = createClient(contract.interface, { ...credential, ...options })
  // The paths of imported interfaces are not in the types of this repository.
  const request = client.request as unknown as Send
  await request(method, path, { params: { path: Object.fromEntries(values) } })
}

/** Returns the path of a request for an operation, with 1 for each parameter. */
const pathOf = ({ path }: Operation) => path.replaceAll(/\{[^}]*\}/g, '1')

/** Returns one sentence for each request that went to a wrong target. */
async function misdirected(contract: Contract): Promise<string[]> {
  const { interface: name, operations, publicUrl } = contract
  const scheme = schemeOf(contract)
  const header = scheme?.header.toLowerCase()
  const faults: string[] = []
  const server = await startRecordingServer()
  const urls: string[] = []
  const record: typeof fetch = async (input, init) => {
    urls.push(new Request(input, init).url)
    return new Response(null, { status: 204 })
  }
  for (const operation of operations) {
    const title = `${name}: ${operation.method.toUpperCase()} ${operation.path}`
    await send(contract, operation, { fetch: record })
    await send(contract, operation, { baseUrl: `${server.url}/base/${name}` })
    const [url, more] = urls.splice(0)
    if (more !== undefined || decodeURI(url ?? '') !== `${publicUrl}${pathOf(operation)}`)
      faults.push(`${title} goes to ${url}`)
    const [seen, ...others] = server.seen.splice(0)
    if (others.length > 0 || decodeURI(seen?.path ?? '') !== `/base/${name}${pathOf(operation)}`)
      faults.push(`${title} arrives as ${seen?.path}`)
    const keys = Object.entries(seen?.headers ?? {}).filter(([, value]) => String(value).endsWith(`key-of-${name}`))
    const takesKey = scheme !== undefined && operation.schemes.includes(scheme.name)
    if (keys.some(([at]) => at !== header) || (takesKey && keys.length === 0))
      faults.push(`${title} carries its key in ${keys.map(([at]) => at).join() || 'no header'}, not in ${header}`)
  }
  server.close()
  return faults
}

const contracts = importedContracts()
const faults = (await Promise.all(contracts.map(misdirected))).flat()
const operations = contracts.reduce((sum, contract) => sum + contract.operations.length, 0)
console.log(JSON.stringify({ operations, faults }))
