import { expect, test } from 'vitest'
import { createLocks, type Use } from './locks.ts'

const { signal } = new AbortController()

/** Creates locks: `take` requests resources, `end` releases them, and `names` lists the requests that hold theirs. */
function start() {
  const locks = createLocks()
  const running = new Map<string, () => void>()
  const take = (name: string, uses: Readonly<Record<string, Use>>, by = signal) =>
    locks.take(new Map(Object.entries(uses)), by).then((release) => void running.set(name, release))
  const end = (name: string) => {
    running.get(name)?.()
    running.delete(name)
  }
  // The promises of a grant settle before the callback of `setImmediate`.
  const names = () => new Promise<string[]>((resolve) => setImmediate(() => resolve([...running.keys()])))
  return { take, end, names }
}

test('shared uses run together; an exclusive use waits for them, and later uses wait for it', async () => {
  const { take, end, names } = start()
  for (const name of ['a', 'b']) void take(name, { zone: 'shared' })
  void take('writer', { zone: 'alone' })
  void take('late', { zone: 'shared' })
  void take('other', { library: 'alone' })
  expect(await names()).toEqual(['a', 'b', 'other'])
  end('a')
  expect(await names()).toEqual(['b', 'other'])
  end('b')
  expect(await names()).toEqual(['other', 'writer'])
  end('writer')
  expect(await names()).toEqual(['other', 'late'])
})

test('a request for exclusive use of several resources holds none while it waits, and others overtake it', async () => {
  const { take, end, names } = start()
  void take('a', { one: 'shared' })
  void take('both', { one: 'alone', two: 'alone' })
  void take('b', { two: 'shared' })
  expect(await names()).toEqual(['a', 'b'])
  end('a')
  expect(await names()).toEqual(['b'])
  end('b')
  expect(await names()).toEqual(['both'])
})

test('an interrupted request leaves the queue, and the next one starts', async () => {
  const { take, names } = start()
  const interruption = new AbortController()
  void take('a', { zone: 'shared' })
  const writer = take('writer', { zone: 'alone' }, interruption.signal)
  void take('b', { zone: 'shared' })
  interruption.abort(new Error('interrupted'))
  await expect(writer).rejects.toThrow('interrupted')
  expect(await names()).toEqual(['a', 'b'])
})
