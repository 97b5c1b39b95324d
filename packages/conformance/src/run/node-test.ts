/** Runs the checks as tests of `node:test`. */
import { after, describe, test } from 'node:test'
import { type Deployment, openTests, timeoutMs } from './as-tests.ts'

export type { Deployment } from './as-tests.ts'

/**
 * Registers a suite `conformance` with one test per check. Await this function at the top of a test file. A skipped check becomes a
 * skipped test with the reason. Writes are undone, and reports and history are written, in the same way as by the command line.
 *
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures
 */
export async function registerChecks(deployment: Deployment): Promise<void> {
  const { tests, close } = await openTests('node-test', deployment)
  void describe('conformance', { concurrency: tests.length, timeout: timeoutMs }, () => {
    for (const { id, run } of tests) {
      void test(id, { timeout: timeoutMs }, async (context) => {
        const reason = await run(context.signal)
        if (reason !== undefined) context.skip(reason)
      })
    }
    after(close, { timeout: timeoutMs })
  })
}
