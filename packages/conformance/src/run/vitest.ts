/** Runs the checks as tests of a user's vitest project: versions 3 to 5. */
import { type Deployment, openTests, timeoutMs } from './as-tests.ts'

export type { Deployment } from './as-tests.ts'

/** The functions of the caller's copy of vitest. */
export interface VitestApi {
  readonly test: {
    readonly concurrent: (
      name: string,
      options: { readonly timeout: number },
      run: (context: { readonly signal: AbortSignal; readonly skip: (reason?: string) => never }) => Promise<void>,
    ) => void
  }
  readonly afterAll: (close: () => Promise<void>, timeoutMs: number) => void
}

/**
 * Registers one test per check. Await this function at the top of a test file. A skipped check becomes a skipped test
 * with the reason. Writes are undone, and reports and history are written, in the same way as by the command line.
 *
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures
 */
export async function registerChecks({ test, afterAll }: VitestApi, deployment: Deployment): Promise<void> {
  const { tests, close } = await openTests('vitest', deployment)
  for (const { id, run } of tests) {
    test.concurrent(id, { timeout: timeoutMs }, async ({ signal, skip }) => {
      const reason = await run(signal)
      if (reason !== undefined) skip(reason)
    })
  }
  afterAll(close, timeoutMs)
}
