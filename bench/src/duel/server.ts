import { type Emulator, type Variants, variantTable } from '@cdn/emulator'
import { catalogue } from './catalogue.ts'

/** Variants of every server, as in the live runs of the suite's own campaigns. */
export const baseVariants = { errorBodies: 'present' } as const

/** Requests after which a server is correct, so that every tool has to detect its fault with the same number of requests. */
export const maxRequests = 5_000

/** Points that neither the spec nor the supplement decides, so that no layer of a suite may report any of their values. */
const openPoints = Object.entries(variantTable).filter(([, { source }]) => source.startsWith('unspecified'))

/** Correct servers: the default, and two that together show every value of the open points. */
export const correct: readonly string[] = [
  'right',
  ...Array.from(
    { length: Math.max(...openPoints.map(([, { values }]) => values.length)) - 1 },
    (_, index) => `variants ${index + 1}`,
  ),
]

/**
 * Changes a new emulator to the server of a name.
 *
 * @param limit number of requests after which the fault ends
 * @returns the number of requests to operations so far
 */
export function furnish(emulator: Emulator, name: string, limit: number = maxRequests): () => number {
  const number = name.startsWith('variants ') ? Number(name.split(' ')[1]) : 0
  if (number > 0) {
    const chosen = openPoints.map(([point, { values }]) => [point, values[number] ?? values[0]])
    emulator.setVariants(Object.fromEntries(chosen) as Partial<Variants>)
  }
  const endFault = catalogue[name]?.(emulator)
  let requests = 0
  emulator.faults.add({
    name: 'count',
    text: 'Requests are counted.',
    around: async (call, operation, next) => {
      requests += 1
      const isLast = requests === limit
      const response = await next(call, operation)
      if (isLast) {
        endFault?.()
        switchMutant(undefined)
      }
      return response
    },
  })
  return () => requests
}

/** Switches one mutant of the instrumented emulator on, or all off. Code that ran when its module was loaded does not change. */
export function switchMutant(mutant = 'none'): void {
  const shared = globalThis as { __stryker__?: { activeMutant?: string } }
  shared.__stryker__ = Object.assign(shared.__stryker__ ?? {}, { activeMutant: mutant })
}

/** Switches the rate limit off, for tools that cannot keep it. */
export function withoutRateLimit(emulator: Emulator): void {
  emulator.faults.add({
    name: 'no rate limit',
    text: 'There is no rate limit.',
    around: (call, { rateLimit: _, ...operation }, next) => next(call, operation),
  })
}
