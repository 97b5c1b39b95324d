/**
 * A program for a copy of the repository. It starts a live run with the permissions of the first argument, in simulated time,
 * against servers that record each request. It prints how often each operation arrived, and which servers received a credential
 * of another interface.
 */
import type { IncomingMessage } from 'node:http'
import { route } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { runLive } from '../../../packages/conformance/tests/support/live-run.ts'
import { importedContracts, startRecordingServer } from './recording-server.ts'

const allow = defined(process.argv[2])
  .split(',')
  .filter((permission) => permission === 'write' || permission === 'destructive')
const counts: Record<string, number> = {}

/** Counts a request by its operation: `management.get-pull-zone read`. */
function count(name: string, method: string, path: string): void {
  // The types of the copy have the imported interfaces, those of the repository do not.
  const match = route(name as 'management', method, new URL(path, 'http://any.invalid').pathname)
  const { operation } = match && 'operation' in match ? match : {}
  const what = operation ? `${operation.name} ${operation.assumed ? 'assumed' : operation.effect}` : `${method} ${path}`
  counts[`${name}.${what}`] = (counts[`${name}.${what}`] ?? 0) + 1
}

const contracts = importedContracts()
const servers = await Promise.all(
  contracts.map(async (contract) => ({ contract, server: await startRecordingServer() })),
)
const importedVariables = contracts.flatMap(({ interface: name, schemes }) =>
  schemes.map(({ variable }) => [variable, `credential of ${name}`]),
)
const platformCredentials: string[] = []
await runLive(
  { name: 'recorded', proxy: {} },
  {
    allow,
    imported: Object.fromEntries(servers.map(({ contract, server }) => [contract.interface, new URL(server.url)])),
    onRequest: ({ method, url }: IncomingMessage) => {
      const [, prefix, path = '/'] = /^\/api\/(management|logs)(\/.*)?$/.exec(String(url)) ?? []
      count(prefix === 'logs' ? 'logging' : 'management', String(method), path)
    },
    changeFixtures: (fixtures) => {
      const { accessKey, bearer } = fixtures.credentials
      platformCredentials.push(...[accessKey, bearer].filter((value) => value !== undefined))
      return { ...fixtures, credentials: { ...fixtures.credentials, imported: Object.fromEntries(importedVariables) } }
    },
  },
)
const strays: string[] = []
const keyed: Record<string, number> = {}
for (const { contract, server } of servers) {
  server.close()
  for (const { method, path, headers } of server.seen) {
    count(contract.interface, method, path)
    const values = Object.values(headers).flat().map(String)
    if (values.some((value) => value.includes(`credential of ${contract.interface}`)))
      keyed[contract.interface] = (keyed[contract.interface] ?? 0) + 1
    if (values.some((value) => platformCredentials.some((secret) => value.includes(secret))))
      strays.push(`${contract.interface}: ${method} ${path}`)
  }
}
console.log(JSON.stringify({ counts, strays, keyed }))
