/**
 * Runs the checks of the area in `things-area.ts` against platforms that lie about ids and names, so that an item of a customer looks like
 * an item of the suite. Prints as JSON the writes to items that the suite did not create, and the leaks. This is a separate process,
 * because `things-area.ts` must be loaded before the contract.
 */
import type { Item } from '@cdn/api/contract'
import type { Emulator, EmulatorResponse } from '@cdn/emulator'
import { stringifyJson } from '@cdn/kit/json'
import { runLive } from '../support/live-run.ts'

const customer: Item = { Id: 4242n, Name: 'customer.example', Size: 1 }
const own = '00000000-0000-7000-8000-000000000000.conformance.invalid'

/** The items that a list shows, and the body of a creation's response, by the name of the lie. */
const lies: Readonly<Record<string, { readonly list?: readonly Item[]; readonly created?: Item }>> = {
  'the mark in another field': { list: [{ ...customer, Note: 'see x.conformance.invalid' }] },
  'the mark within a name': { list: [{ ...customer, Name: 'notmyconformance.invalid.customer.example' }] },
  'the mark in an address': {
    list: [1, 2, 3].map((id) => ({ Id: id, Name: `customer${id}`, Mail: 'x@conformance.invalid' })),
  },
  'a name of the suite with the id of a customer': { list: [customer, { ...customer, Name: own }] },
  'a name of the suite at the id of a customer': { list: [{ ...customer, Name: own }] },
  'ids that are no ids': {
    list: ['../pullzone/2001', '..', '.', '', null, { a: 1 }, '5?x=1', '%2e%2e', undefined].map((Id) => ({
      Id,
      Name: own,
    })),
  },
  'a creation with the id of a customer': { created: customer },
  'a creation with the id ..': { created: { Id: '..', Name: own } },
}

const results: object[] = []
for (const [name, { list, created }] of Object.entries(lies)) {
  const foreign: string[] = []
  const lying = (emulator: Emulator) => {
    const known = new Set<string>()
    emulator.state.resources.add('/things', [customer])
    emulator.faults.add({
      name: 'lies',
      text: 'Lies about ids and names.',
      around: async (call, operation, next) => {
        const [, , id] = call.path.split('/')
        const isForeign = emulator.state.resources.item('/things', String(id)) && !known.has(String(id))
        if (call.method !== 'GET' && isForeign) foreign.push(`${call.method} ${call.path}`)
        const response = await next(call, operation)
        const json = (body: unknown): EmulatorResponse => ({ ...response, body: stringifyJson(body) ?? '' })
        if (operation.name === 'add-thing' && response.status < 300) {
          const last = emulator.state.resources.all['/things']?.at(-1)
          known.add(String(last?.['Id']))
          return created ? json({ ...last, ...created }) : response
        }
        if (operation.name !== 'list-things' || response.status !== 200 || !list) return response
        const { Items: shown = [], ...page } = JSON.parse(String(response.body))
        return json({ ...page, Items: [...shown.filter(({ Id }: Item) => Id !== 4242), ...list] })
      },
    })
    // Requests that match no operation.
    const { fetch: send } = emulator
    Object.assign(emulator, {
      fetch: (input: Request, init?: RequestInit) => {
        const { method, url } = new Request(input, init)
        if (method === 'DELETE' && !/\/(things|videolibrary)\/[^/]+/.test(url)) foreign.push(`${method} ${url}`)
        return send(input, init)
      },
    })
  }
  const world = { name, break: lying }
  const { report, emulator } = await runLive(world, {
    select: ({ id }) => /\bmanagement\..*(add|delete)-thing\.\d/.test(id),
  })
  const kept = emulator.state.resources.all['/things']?.some(({ Name }) => Name === customer['Name'])
  results.push({ name, foreign, kept, exitCode: report.exitCode, leaks: report.leaks ?? [] })
}
process.stdout.write(JSON.stringify(results))
