/** Tests the mark of a run in the fixtures, on a platform whose requests overlap in any order and whose reads are old. */
import { createEmulator } from '@cdn/emulator'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newMark, newName } from '../../exchange/own-names.ts'
import { contextOf } from '../run-check.ts'
import { sessionOn } from '../targets/emulator.ts'
import { createSweeper } from './sweep.ts'

/** A read may miss the last writes for this many requests. */
const staleFor = 12

test('of three runs that claim the fixtures at once, at most one goes on, and the others leave nothing', async () => {
  const ends: number[] = []
  const session = sessionOn(await createEmulator())
  const property = async (draws: fc.GeneratorValue, schedule: fc.Scheduler) => {
    /** The list after each write, with the number of requests before it. */
    const versions: { list: readonly string[]; after: number }[] = [{ list: [], after: 0 }]
    const current = () => versions.at(-1)?.list ?? []
    let requests = 0
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      await schedule.schedule(Promise.resolve(), 'request')
      requests++
      const change = /(add|remove)AllowedReferrer$/.exec(request.url)?.[1]
      if (change) {
        const { Hostname } = JSON.parse(await request.text())
        const rest = current().filter((each) => each !== Hostname)
        versions.push({ list: change === 'add' ? [...rest, Hostname] : rest, after: requests })
        return new Response(null, { status: 204 })
      }
      const oldest = versions.findLastIndex(({ after }) => after <= requests - staleFor)
      const from = draws(fc.integer, { min: Math.max(0, oldest), max: versions.length - 1 })
      const response = await session.fetch(request)
      if (!request.url.endsWith(`/pullzone/${session.fixtures.zoneId}`)) return response
      return Response.json({ ...(await response.json()), AllowedReferrers: versions[from]?.list })
    }
    const wait = () => schedule.schedule(Promise.resolve(), 'wait')
    const { signal } = new AbortController()
    const sweeper = () => createSweeper(contextOf({ ...session, fetch: send, wait }, { signal, isSweep: true }))
    const runs = Array.from({ length: 3 }, () => ({ name: newMark(Date.now()), sweeper: sweeper() }))
    const results = await schedule.waitFor(
      Promise.all(
        runs.map(({ name, sweeper }) =>
          sweeper.claim(name, (each) => runs.some((run) => run.name === each) && each !== name),
        ),
      ),
    )
    const going = results.flatMap((result, index) => (result.other === undefined ? [runs[index]] : []))
    ends.push(going.length)
    expect(going.length).toBeLessThan(2)
    expect(current()).toEqual(going.map((run) => run?.name))
    for (const run of going) expect(await schedule.waitFor(run?.sweeper.release() ?? Promise.resolve([]))).toEqual([])
    expect(current()).toEqual([])
  }
  await fc.assert(fc.asyncProperty(fc.gen(), fc.scheduler(), property), { numRuns: 40 })
  expect(ends).toContain(1)
})

test('a target that does not keep the mark is no reason to stop, and the run can say so', async () => {
  const emulator = await createEmulator()
  emulator.faults.add({
    name: 'forgets',
    text: 'An addition has no effect.',
    around: async (call, operation, next) =>
      operation.name === 'add-allowed-referrer' ? { status: 200, headers: {}, body: '' } : next(call, operation),
  })
  const { signal } = new AbortController()
  const session = { ...sessionOn(emulator), wait: async () => {} }
  const sweeper = createSweeper(contextOf(session, { signal, isSweep: true }))
  expect(await sweeper.claim(newMark(Date.now()), () => false)).toEqual({ problems: ['the target does not show it'] })
  expect(await sweeper.release()).toEqual([])
})

const addition = 'add-allowed-referrer'
const removal = 'remove-allowed-referrer'

test.each([
  ['refuses to add and to remove', (name: string) => [addition, removal].includes(name), false],
  ['executes each removal, whose response is lost', (name: string) => name === removal, true],
])('what a platform does not show is no leak if it %s', async (_, isFaulty, isExecuted) => {
  const emulator = await createEmulator()
  emulator.faults.add({
    name: 'loses',
    text: 'Responses are lost.',
    around: async (call, operation, next) => {
      if (!isFaulty(operation.name)) return next(call, operation)
      if (isExecuted) await next(call, operation)
      return { status: isExecuted ? 502 : 403, headers: {}, body: '' }
    },
  })
  const { signal } = new AbortController()
  const session = { ...sessionOn(emulator), wait: async () => {} }
  const sweeper = createSweeper(contextOf(session, { signal, isSweep: true }))
  await sweeper.claim(newMark(Date.now()), () => false)
  expect(await sweeper.release()).toEqual([])
  if (isExecuted) await createSweeper(contextOf(session, { signal, isSweep: true })).claim(newName(), () => false)
  expect((await sweeper.sweep()).leaks).toEqual([])
  const { zoneId = '' } = session.fixtures
  expect(emulator.state.resources.item('/pullzone', zoneId)?.['AllowedReferrers']).toEqual([])
})

test('what a platform refuses to remove, or cannot show, is a leak', async () => {
  for (const status of [403, 502]) {
    const emulator = await createEmulator()
    const { signal } = new AbortController()
    const session = { ...sessionOn(emulator), wait: async () => {} }
    const sweeper = createSweeper(contextOf(session, { signal, isSweep: true }))
    await sweeper.claim(newMark(Date.now()), () => false)
    emulator.faults.add({
      name: 'keeps',
      text: 'Nothing is removed, and nothing is shown after a 502.',
      around: async (call, operation, next) =>
        operation.name === removal || status === 502 ? { status, headers: {}, body: '' } : next(call, operation),
    })
    expect(await sweeper.release()).toEqual([expect.stringContaining('could not remove allowed referrer')])
    expect((await sweeper.sweep()).leaks.length).toBe(status === 403 ? 1 : 0)
  }
})
