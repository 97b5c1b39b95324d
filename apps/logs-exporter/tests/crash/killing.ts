import type { KillPoint } from './assignment.ts'

/** The kill points of each method: one before the call, and one after it is done. */
type Points<T> = { readonly [Name in keyof T]?: readonly [before: KillPoint, after?: KillPoint] }

/** Wraps an object so that its methods call `reach` at their kill points. */
export function killing<T extends object>(target: T, points: Points<T>, reach: (point: KillPoint) => void): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver)
      // Safe: a name that is not a method has no points.
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
