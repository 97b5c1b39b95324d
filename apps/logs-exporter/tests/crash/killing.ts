import type { KillPoint } from './assignment.ts'

/** Which points a method has: before it, and after it is done. */
type Points<T> = { readonly [Name in keyof T]?: readonly [before: KillPoint, after?: KillPoint] }

/** The same object, whose methods pass points at which the process may end. */
export function killing<T extends object>(target: T, points: Points<T>, reach: (point: KillPoint) => void): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver)
      const [before, after] = points[name as keyof T] ?? []
      if (before === undefined || typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        reach(before)
        const result: unknown = await value.apply(object, args)
        if (after) reach(after)
        return result
      }
    },
  })
}
