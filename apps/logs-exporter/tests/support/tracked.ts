import type { SimulatedTime } from './simulated-time.ts'

/**
 * The same object, with time standing still while one of its methods is under way: also those of what they give, and the
 * steps of what they iterate over.
 */
export function tracked<T extends object>(target: T, time: SimulatedTime): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => follow(value.apply(object, args), time)
    },
  })
}

function follow(result: unknown, time: SimulatedTime): unknown {
  if (result instanceof Promise) return time.during(result).then((value) => follow(value, time))
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) return iterate(result, time)
  const isParts =
    typeof result === 'object' && result !== null && Object.values(result).some((part) => typeof part === 'function')
  return isParts ? tracked(result, time) : result
}

async function* iterate(result: object, time: SimulatedTime): AsyncGenerator<unknown, void, void> {
  const iterator = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await time.during(iterator.next())
      if (done) return
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}
