/** Tests that a run leaves the same traces however it ends: page, memory, one message, job summary, and the output of `status`. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunOptions } from '../src/cli/options.ts'
import { type RunObserver, run } from '../src/cli/run.ts'
import { conclude } from '../src/memory/conclude.ts'
import { memoryFile, readMemory } from '../src/memory/memory.ts'
import { statusOf } from '../src/memory/status.ts'
import { skipWaits } from './support/simulated-time.ts'

const root = temporaryFolder()
let emulator: Emulator
let live: RunOptions
let refusingUrl: string
let receiverUrl: URL
const refusing = createServer((_, response) => response.writeHead(401).end())
const messages: string[] = []
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  messages.push(JSON.parse(text).text)
  response.end()
})

beforeAll(async () => {
  emulator = await createEmulator({ variants: { errorBodies: 'present' } })
  const { managementUrl, loggingUrl } = await emulator.listen()
  refusingUrl = await listen(refusing)
  receiverUrl = new URL(await listen(receiver))
  const { fixtures } = emulator
  const only = ['management.get-pull-zone.200', 'management.get-pull-zone.404']
  live = { target: 'live', managementUrl: managementUrl.href, loggingUrl: loggingUrl.href, fixtures, only, out: '' }
})
afterAll(async () => {
  for (const server of [refusing, receiver]) server.close()
  await emulator.close()
})

interface Ending {
  readonly exitCode: number
  readonly status: string
  readonly sentence: RegExp
  readonly options?: () => Partial<RunOptions>
  readonly fault?: 'internal-error' | 'bad-gateway'
  readonly observe?: () => Partial<RunObserver>
}

const endings: Readonly<Record<string, Ending>> = {
  conforms: { exitCode: 0, status: 'complete', sentence: /The live platform shows no failure/ },
  'does not conform': {
    ...{ exitCode: 1, status: 'complete', sentence: /does not conform: 1 cause breaks/, fault: 'internal-error' },
    options: () => ({ failOn: ['supplement'] }),
  },
  'has errors': { exitCode: 2, status: 'undecided', sentence: /is undecided \(GET /, fault: 'bad-gateway' },
  unreachable: {
    ...{ exitCode: 2, status: 'not-started', sentence: /No check ran: The management interface cannot be reached/ },
    options: () => ({ managementUrl: 'http://127.0.0.1:1/' }),
  },
  'refused key': {
    ...{ exitCode: 2, status: 'not-started', sentence: /No check ran: The API key .* is refused/ },
    options: () => ({ managementUrl: refusingUrl, loggingUrl: refusingUrl }),
  },
  'missing fixture': {
    ...{ exitCode: 2, status: 'not-started', sentence: /No check ran: The fixture zoneId 424242 does not exist/ },
    options: () => ({ fixtures: { ...emulator.fixtures, zoneId: '424242' }, allow: ['write', 'destructive'] }),
  },
  'unreadable file': {
    ...{
      exitCode: 2,
      status: 'not-started',
      sentence: /No check ran: .*none\.json: the file of expectations cannot be read/,
    },
    options: () => ({ expect: join(root, 'none.json') }),
  },
  'spent budget': {
    ...{ exitCode: 2, status: 'undecided', sentence: /decided no sentence/ },
    options: () => ({ budget: 1 }),
  },
  crash: {
    ...{ exitCode: 2, status: 'crashed', sentence: /crashed/ },
    observe: () => ({
      onCheck: (_, done) => {
        if (done) throw new Error('broken observer')
      },
    }),
  },
  interruption: {
    ...{ exitCode: 130, status: 'interrupted', sentence: /was interrupted/ },
    observe: () => {
      const controller = new AbortController()
      return { signal: controller.signal, onCheck: () => controller.abort() }
    },
  },
}

async function end(name: string, { options, fault, observe }: Ending) {
  emulator.faults.clear()
  if (fault) emulator.faults.add({ name: fault, operation: 'get-pull-zone' })
  const out = join(root, name, 'live')
  const observer = { signal: new AbortController().signal, clock: skipWaits(), ...observe?.() }
  const report = await run({ ...live, out, ...options?.() }, observer)
  // A run with permission to write must not write before the preflight has succeeded.
  expect(emulator.journal.entries.filter(({ method }) => method !== 'GET')).toEqual([])
  const before = messages.length
  const traces = {
    out,
    summary: join(root, name, 'summary.md'),
    webhook: { url: receiverUrl, form: 'slack' },
  } as const
  const said: string[] = []
  const concluded = await conclude(report, { ...traces, say: (sentence) => said.push(sentence) })
  expect(said).toEqual([])
  const read = (file: string) => readFile(join(out, file), 'utf8')
  const { runs } = readMemory(memoryFile(out))
  return {
    ...{ report: concluded, last: runs.at(-1), posted: messages.slice(before) },
    status: statusOf(runs, Date.now(), 60_000),
    laterStatus: statusOf(runs, Date.now() + 60_001, 60_000),
    texts: {
      page: await read('index.html'),
      runs: await read('nights.html'),
      junit: await read('junit.xml'),
      json: await read('report.json'),
      summary: await readFile(traces.summary, 'utf8'),
    },
  }
}

test.each(Object.entries(endings))(
  '%s: the run leaves every trace, and a second run in a row without a result says so',
  async (name, ending) => {
    const { exitCode, status, sentence } = ending
    const { report, texts, last, posted, status: state, laterStatus } = await end(name, ending)
    expect(report).toMatchObject({ exitCode, status })
    expect(JSON.parse(texts.json)).toMatchObject({ exitCode, status })
    for (const text of [texts.page, texts.runs, texts.summary.replaceAll('\\', '')]) expect(text).toMatch(sentence)
    expect(texts.junit).toContain('<testsuites')
    expect(last).toMatchObject({ exitCode, status, sentence: expect.stringMatching(sentence) })
    expect(posted).toEqual([expect.stringMatching(sentence)])
    expect(state.sentences[0]).toMatch(sentence)
    expect(state.isGood).toBe(status === 'complete')
    expect(laterStatus).toMatchObject({ isGood: false })
    expect(laterStatus.sentences.at(-1)).toBe('The newest run is older than 1 min 0 s.')
    expect(state.sentences.join()).not.toContain('older than')

    const again = await end(name, ending)
    expect(again.posted).toHaveLength(exitCode === 0 ? 0 : 1)
    expect(readMemory(memoryFile(join(root, name, 'live'))).runs).toHaveLength(2)
    if (status === 'complete') return
    expect(again.report.changes?.inARow).toBe(2)
    for (const text of [again.texts.page, again.posted.join(), again.texts.summary])
      expect(text).toMatch(/2nd run in a row without a result/)
  },
)
