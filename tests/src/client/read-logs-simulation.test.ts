import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { expect, test } from 'vitest'
import { play } from './read-logs-simulation.ts'

test('each row that is visible at the first request is read once, later rows at most once: some seeds', async () => {
  for (let seed = 1; seed <= propertyRuns(40); seed++) expect((await play(seed)).wrong, `seed ${seed}`).toEqual([])
}, 600_000)
