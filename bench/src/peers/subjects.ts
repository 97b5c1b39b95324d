import { type Check, createPlan } from '@cdn/conformance'
import { createEmulator, type Variants, variantTable } from '@cdn/emulator'
import type { ServerMutant } from '../../../packages/conformance/tests/mutants/mutant.ts'
import type { Subject } from './peer.ts'

const { checks } = createPlan()

/** The correct server, with all checks. */
export const right: Subject = { id: 'right', checks, create: () => createEmulator() }

/**
 * Correct servers with permitted variants. The first server has the second behaviour of each point. The next server has the third
 * behaviour, or the default if a point has only two, and so on. Together, the servers show every permitted behaviour.
 */
export const variants: readonly Subject[] = Array.from({ length: maxValues() - 1 }, (_, index) => ({
  id: `variant ${index + 1}`,
  checks,
  create: () => createEmulator({ variants: mix(index + 1) }),
}))

function maxValues(): number {
  return Math.max(...Object.values(variantTable).map(({ values }) => values.length))
}

function mix(index: number): Partial<Variants> {
  const chosen = Object.entries(variantTable).map(([name, { values }]) => [name, values[index] ?? values[0]])
  return Object.fromEntries(chosen)
}

/** A server with one mistake, with the checks of the requirements that it breaks. */
export function mutated({ id, breaks, apply }: ServerMutant): Subject {
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
