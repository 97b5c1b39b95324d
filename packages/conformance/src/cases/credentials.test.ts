import { contracts, type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { afterAll, expect, test } from 'vitest'
import { runCheck } from '../run/run-check.ts'
import type { Session } from '../run/targets/target.ts'
import { credentials } from './credentials.ts'

// An imported interface. The type of the names is read-only and has only the interfaces of this repository.
const name = 'acme' as keyof typeof contracts
Object.assign(contracts, {
  [name]: { ...contracts.management, interface: name, source: 'supplement', requirements: [] },
})
afterAll(() => void Reflect.deleteProperty(contracts, name))

const read = defined(operations.find((operation) => operation.name === 'get-pull-zone'))
const base = new URL('https://acme.invalid')
const { signal } = new AbortController()

async function outcomeOf(statuses: readonly string[], answered: number) {
  const responses = statuses.map((status) => ({ status, description: '', content: {} }))
  const operation: Operation = {
    ...read,
    interface: name,
    path: '/things',
    parameters: [],
    source: 'supplement',
    responses,
  }
  const missing = defined(credentials(operation).find(({ check }) => check.id.endsWith('.401-missing')))
  const session: Session = {
    fetch: async () => new Response(null, { status: answered }),
    ...{ bases: { management: base, logging: base, [name]: base }, fixtures: { credentials: {} } },
    ...{ disposable: true, shared: new Map(), virtualClock: false, now: () => new Date(0) },
    ...{ wait: async () => {}, rest: async () => {}, alone: (_, work) => work(), close: async () => {} },
  }
  return (await runCheck(missing.check, session, { signal })).result.outcome
}

test.each([
  ['a contract that states 401', ['200', '401'], 401, 'pass'],
  ['a contract that states 401', ['200', '401'], 403, 'fail'],
  ['a contract without 401', ['200'], 401, 'pass'],
  ['a contract without 401', ['200'], 403, 'pass'],
  ['a contract without 401', ['200'], 200, 'fail'],
] as const)('%s: no credentials are answered as in %j, with %i', async (_, statuses, answered, outcome) => {
  expect(await outcomeOf(statuses, answered)).toBe(outcome)
})
