import { type Emulator, type Variants, variantTable } from '@cdn/emulator'
import { catalogue } from './catalogue.ts'

/** Variants of every server, as in the live runs of the suite's own campaigns. */
export const baseVariants = { errorBodies: 'present' } as const

/** Correct servers: the default, and two that together show every permitted variant. */
export const correct: readonly string[] = [
  'right',
  ...Array.from(
    { length: Math.max(...Object.values(variantTable).map(({ values }) => values.length)) - 1 },
    (_, index) => `variants ${index + 1}`,
  ),
]

/** Changes a new emulator to the server of a name. Mutants of Stryker are switched on by the environment instead. */
export function furnish(emulator: Emulator, name: string): void {
  const number = name.startsWith('variants ') ? Number(name.split(' ')[1]) : 0
  if (number > 0) {
    const chosen = Object.entries(variantTable).map(([point, { values }]) => [point, values[number] ?? values[0]])
    emulator.setVariants(Object.fromEntries(chosen) as Partial<Variants>)
  }
  catalogue[name]?.(emulator)
}

/** Switches the rate limit off, for tools that cannot keep it. */
export function withoutRateLimit(emulator: Emulator): void {
  emulator.faults.add({
    name: 'no rate limit',
    text: 'There is no rate limit.',
    around: (call, { rateLimit: _, ...operation }, next) => next(call, operation),
  })
}
