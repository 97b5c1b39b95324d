/** Ten nights of one story, and three with the steps of the workflow; `campaign.ts` plays all stories. */
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { play } from './player.ts'
import { stories } from './stories.ts'

test('ten nights, some with a killed run: page, memory, message, issues, exit code and status are as the oracle says', async () => {
  const [story] = stories.filter(({ name }) => name === 'killed runs')
  expect(await play({ mode: 'cron', nights: story?.nights.slice(0, 10) ?? [] }, temporaryFolder())).toEqual([])
}, 300_000)

test('the steps of the workflow keep the memory over a job that did not start', async () => {
  const nights = [{ faults: ['add'] }, { faults: [], event: 'cancelled' }, { faults: [] }] as const
  expect(await play({ mode: 'workflow', nights }, temporaryFolder())).toEqual([])
})
