import { sleep } from '@cdn/kit/wait'
import { createHistory } from '../../exchange/history.ts'
import { type Prism, startPrism } from './mock/prism.ts'
import type { CheckTarget } from './target.ts'
import { withTimeOuts } from './time-outs.ts'

/** Fixtures of the mock. The mock has no state, so any id will do. */
const fixtures = {
  libraryId: '1',
  zoneId: '1',
  loggedZoneId: '1',
  credentials: {
    accessKey: 'any-key',
    bearer: 'any-token',
  },
}

/**
 * Creates a target with Prism on the full contracts, a process for each interface.
 *
 * @param onNotice gets the lines with which Prism reports its start
 * @throws SuiteConfigurationError in one sentence if Prism is not installed, or does not start
 */
export async function createMockTarget(onNotice: (line: string) => void): Promise<CheckTarget> {
  const [management, logging] = await startBoth()
  for (const { startLine } of [management, logging]) onNotice(startLine)
  return {
    open: async (_, signal) => ({
      fetch: withTimeOuts(fetch),
      bases: { management: management.url, logging: logging.url },
      fixtures,
      disposable: true,
      stateless: true,
      shared: new Map(),
      history: createHistory(Date.now()),
      virtualClock: false,
      now: () => new Date(),
      wait: (ms) => sleep(ms, signal),
    }),
    close: async () => {
      await Promise.all([management.close(), logging.close()])
    },
  }
}

async function startBoth(): Promise<[Prism, Prism]> {
  const starts = await Promise.allSettled([startPrism('management'), startPrism('logging')])
  const [management, logging] = starts
  if (management.status === 'fulfilled' && logging.status === 'fulfilled') return [management.value, logging.value]
  for (const each of starts) if (each.status === 'fulfilled') await each.value.close()
  throw starts.find((each) => each.status === 'rejected')?.reason
}
