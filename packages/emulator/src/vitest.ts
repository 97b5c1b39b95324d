import type { TestContext } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts'
import type { Journal } from './journal/journal.ts'

export interface FixtureOptions extends EmulatorOptions {
  /**
   * What to do with violations in the journal. `ignore`, the default: nothing. `show`: a failed test has them as an additional
   * error. `fail`: any test with violations fails.
   */
  readonly violations?: 'ignore' | 'show' | 'fail'
}

/** A fixture with the lifetime of one test. Servers of the emulator are closed at the end of the test. */
type Fixture = (context: TestContext, use: (emulator: Emulator) => Promise<void>) => Promise<void>

/**
 * Creates an emulator per test: `const test = base.extend(emulatorFixture())`.
 *
 * @returns fixtures for `extend`. At the end of a test, all violations are thrown as one Error; with `show`, only if the test failed.
 */
export function emulatorFixture(options: FixtureOptions = {}): { emulator: Fixture } {
  const { violations = 'ignore', ...rest } = options
  return {
    // vitest reads the names of the required fixtures from the first parameter.
    async emulator({ task }, use) {
      const emulator = await createEmulator(rest)
      await use(emulator)
      await emulator.close()
      const shown = violations === 'fail' || (violations === 'show' && task.result?.state === 'fail')
      if (shown && emulator.journal.violations.length > 0) throw new Error(describe(emulator.journal))
    },
  }
}

function describe({ violations }: Journal): string {
  const lines = violations.map(({ name, text, entry }) => `${name}: ${entry.method} ${entry.path}\n  ${text}`)
  return `Violations that the emulator found in its caller:\n${lines.join('\n')}`
}
