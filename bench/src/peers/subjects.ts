import { type Check, createPlan } from '@cdn/conformance'
import type { Mutant } from '@cdn/conformance/mutants'
import { createEmulator, type Variants, variantTable } from '@cdn/emulator'
import type { Subject } from './peer.ts'

const { checks } = createPlan()

/** The right server, under all checks. */
export const right: Subject = { id: 'right', checks, create: () => createEmulator() }

/**
 * Servers that are right in another permitted way. Every behaviour that the emulator permits beside its default is in one
 * of them: the first one has the second behaviour of each point, the next one the third, where there is one.
 */
export const variants: readonly Subject[] = Array.from({ length: mostValues() - 1 }, (_, index) => ({
  id: `variant ${index + 1}`,
  checks,
  create: () => createEmulator({ variants: mix(index + 1) }),
}))

function mostValues(): number {
  return Math.max(...Object.values(variantTable).map(({ values }) => values.length))
}

function mix(index: number): Partial<Variants> {
  const chosen = Object.entries(variantTable).map(([name, { values }]) => [name, values[index] ?? values[0]])
  return Object.fromEntries(chosen)
}

/** A server with one mistake, under the checks of the requirements that it breaks. */
export function mutated({ id, breaks, apply }: Mutant): Subject {
  return {
    id,
    checks: checksOf(breaks),
    create: async () => {
      const emulator = await createEmulator()
      apply(emulator)
      return emulator
    },
  }
}

function checksOf(requirements: readonly string[]): Check[] {
  return checks.filter((check) => check.requirements.some((id) => requirements.includes(id)))
}
