import type { TestContext } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts'
import type { Journal } from './journal/journal.ts'

export interface FixtureOptions extends EmulatorOptions {
  /**
   * What becomes of the journal's verdicts on the code under test: nothing, one more error of a test that failed, or the
   * failure of any test. `ignore` where absent.
   */
  readonly verdicts?: 'ignore' | 'show' | 'fail'
}

/** Of one test alone; whatever the emulator listens on is closed when the test has ended. */
type Fixture = (context: TestContext, use: (emulator: Emulator) => Promise<void>) => Promise<void>

/**
 * An emulator for each test: `const test = base.extend(emulatorFixture())`.
 *
 * @returns fixtures for `extend`; at the end of a test its verdicts are thrown as one Error, where they are to be seen
 */
export function emulatorFixture(options: FixtureOptions = {}): { emulator: Fixture } {
  const { verdicts = 'ignore', ...rest } = options
  return {
    // vitest reads the names of what a fixture uses out of its first parameter.
    async emulator({ task }, use) {
      const emulator = await createEmulator(rest)
      await use(emulator)
      await emulator.close()
      const shown = verdicts === 'fail' || (verdicts === 'show' && task.result?.state === 'fail')
      if (shown && emulator.journal.verdicts.length > 0) throw new Error(describe(emulator.journal))
    },
  }
}

function describe({ verdicts }: Journal): string {
  const lines = verdicts.map(({ name, text, entry }) => `${name}: ${entry.method} ${entry.path}\n  ${text}`)
  return `What the emulator has against its caller:\n${lines.join('\n')}`
}
