/**
 * Runs the checks of the area in `things-area.ts` against platforms that respond to a creation in different ways. Prints as JSON what each
 * run left on its platform, and which checks accuse an emulator that shows the id of a new item only in the list. This is a separate
 * process, because `things-area.ts` must be loaded before the contract.
 */
import type { Item } from '@cdn/api/contract'
import { createEmulator, type Emulator, type EmulatorRequest, type EmulatorResponse } from '@cdn/emulator'
import { createPlan, runCheck, sessionOn } from '../../src/index.ts'
import { runLive } from '../support/live-run.ts'

type Answer = (response: EmulatorResponse, id: string) => EmulatorResponse

interface Platform {
  readonly name: string
  readonly answer: Answer
  /** Number of foreign items before the run. */
  readonly foreign?: number
  /** How long a list does not show a new item, in ms. */
  readonly hiddenMs?: number
  readonly isLenient?: boolean
  /** Whether the platform refuses to list the items. */
  readonly isHidden?: boolean
  /** Which deletion is executed and answered 502, counted from 1. */
  readonly lostDeletion?: number
  /** The status of its response; 502 by default. */
  readonly lostStatus?: number
}

const json = { 'content-type': 'application/json' }
const empty =
  (status: number, headers = {}): Answer =>
  () => ({ status, headers, body: null })
const platforms: readonly Platform[] = [
  { name: '201 with body', answer: (_, id) => ({ status: 201, headers: json, body: `{"Id":${id}}` }) },
  { name: '201 without body', answer: empty(201), foreign: 1_100 },
  { name: '202 with an invalid Location', answer: empty(202, { location: '/things/%zz' }), hiddenMs: 5_000 },
  {
    name: '204 with Location',
    answer: (_, id) => ({ status: 204, headers: { location: `/things/${id}` }, body: null }),
  },
  { name: 'deletion 5 is executed, and its response lost', answer: empty(201), lostDeletion: 5 },
  { name: 'deletion 5 is executed, and answered 404', answer: empty(201), lostDeletion: 5, lostStatus: 404 },
  { name: '201 without body, any body is accepted', answer: empty(201), isLenient: true },
  { name: '201 without body, and no list', answer: empty(201), isHidden: true },
]

/** Foreign items, some with names of one character, as a boundary case would make them. */
function foreignItems(length: number): readonly Item[] {
  const nameOf = (index: number) => (index < 36 ? index.toString(36) : `customer-${index}`)
  return Array.from({ length }, (_, index) => ({ Id: BigInt(index + 1), Name: nameOf(index), Size: index % 5 }))
}

function prepare(
  emulator: Emulator,
  { answer, hiddenMs = 0, isLenient, isHidden, lostDeletion, lostStatus = 502 }: Platform,
  foreign: readonly Item[],
  appeared: Item[],
): void {
  const { resources } = emulator.state
  const now = () => emulator.clock.now().getTime()
  const all = () => resources.all['/things'] ?? []
  const created = new Map<string, number>()
  const left = { Id: 80_000n, Name: '01a21e33-3a52-7c80-901e-a3c39d37a16f.conformance.invalid', Size: 0 }
  resources.add('/things', [...foreign, left])
  let count = 0
  let deletions = 0
  const create = async (call: EmulatorRequest, next: (call: EmulatorRequest) => Promise<EmulatorResponse>) => {
    count++
    let response = await next(call)
    if (response.status === 400 && isLenient) {
      const text = new TextDecoder().decode(await call.body())
      const [, quoted, bare] = /"Name":\s*(?:"([^"]*)"|([^",}{[]+))/.exec(text) ?? []
      const Name = quoted ?? bare ?? 'unnamed'
      const Size = Number(/"Size":\s*(\d+)/.exec(text)?.[1] ?? 0)
      resources.add('/things', [{ Id: BigInt(90_000 + count), Name, Size }])
      response = { status: 201, headers: {}, body: null }
    }
    if (response.status >= 300) return response
    const own = all().at(-1)
    const id = String(own?.['Id'])
    created.set(id, now())
    // At the same time, another caller creates an item that differs only in its id and its name, which has no mark.
    const other = { ...own, Id: BigInt(50_000 + count), Name: `customer-${count}` }
    resources.add('/things', [other])
    appeared.push(other)
    return answer(response, id)
  }
  const list = async (call: EmulatorRequest, next: (call: EmulatorRequest) => Promise<EmulatorResponse>) => {
    if (isHidden) return { status: 403, headers: {}, body: null }
    const kept = resources.all
    const hidden = (item: Item) => now() - (created.get(String(item['Id'])) ?? 0) < hiddenMs
    resources.all = { ...kept, '/things': all().filter((item) => !hidden(item)) }
    // This server shows pages, even if the request has no `page`.
    const query = call.query.includes('page=') ? call.query : `page=1&${call.query}`
    try {
      return await next({ ...call, query: call.query.includes('perPage=') ? query : `${query}&perPage=1000` })
    } finally {
      resources.all = kept
    }
  }
  emulator.faults.add({
    name: 'creations',
    text: 'Answers creations in another way.',
    around: (call, operation, next) => {
      const to = (sent: EmulatorRequest) => next(sent, operation)
      if (operation.name === 'add-thing') return create(keepBody(call), to)
      if (operation.name === 'delete-thing' && ++deletions === lostDeletion)
        return to(call).then(() => ({ status: lostStatus, headers: {}, body: null }))
      return operation.name === 'list-things' ? list(call, to) : to(call)
    },
  })
}

function keepBody(call: EmulatorRequest): EmulatorRequest {
  let body: Promise<Uint8Array> | undefined
  return { ...call, body: () => (body ??= call.body()) }
}

const textOf = (items: readonly Item[]) =>
  JSON.stringify(items, (_, value) => (typeof value === 'bigint' ? String(value) : value))

const results: object[] = []
for (const platform of platforms.filter(({ name }) => name.includes(process.argv[2] ?? ''))) {
  const appeared: Item[] = []
  const foreign = foreignItems(platform.foreign ?? 40)
  const world = { name: platform.name, break: (emulator: Emulator) => prepare(emulator, platform, foreign, appeared) }
  const { report, emulator } = await runLive(world, { select: ({ id }) => /\bmanagement\..*-thing\b/.test(id) })
  const after = emulator.state.resources.all['/things'] ?? []
  const ids = new Set([...foreign, ...appeared].map(({ Id }) => String(Id)))
  const [others, own] = [after.filter(({ Id }) => ids.has(String(Id))), after.filter(({ Id }) => !ids.has(String(Id)))]
  const outcomes = report.checks.map(({ id, outcome, message }) => ({ id, outcome, message }))
  results.push({
    name: platform.name,
    exitCode: report.exitCode,
    created: appeared.length,
    own: own.map(({ Name }) => Name),
    isForeignUntouched: textOf(others) === textOf([...foreign, ...appeared]),
    leaks: report.leaks ?? [],
    failed: outcomes.filter(({ outcome }) => ['fail', 'error'].includes(outcome)),
    boundary: outcomes.find(({ id }) => id === 'management.add-thing.name-length'),
    skipped: outcomes.filter(({ outcome }) => outcome === 'skip').length,
    passed: outcomes.filter(({ outcome }) => outcome === 'pass').length,
  })
}

/** The checks that accuse an emulator whose creations succeed without an id. */
async function accusingOf(select: RegExp, isDone: boolean): Promise<string[]> {
  const accusing: string[] = []
  for (const check of createPlan().checks.filter(({ id }) => select.test(id))) {
    const emulator = await createEmulator()
    emulator.faults.add({
      name: 'no-id',
      text: 'Answers creations without an id.',
      around: async (call, operation, next) => {
        const { all } = emulator.state.resources
        const response = await next(call, operation)
        if (operation.name !== 'add-thing' || response.status >= 300) return response
        if (!isDone) emulator.state.resources.all = all
        return empty(201)(response, '')
      },
    })
    const { signal } = new AbortController()
    const { result, breaches } = await runCheck(check, sessionOn(emulator), { signal })
    if (result.outcome === 'fail' || result.outcome === 'error' || breaches.length > 0) accusing.push(check.id)
  }
  return accusing
}
const accusing = {
  right: await accusingOf(/\bmanagement\..*-thing\b/, true),
  withoutEffect: await accusingOf(/add-thing\.effect/, false),
}
process.stdout.write(JSON.stringify({ results, accusing }))
