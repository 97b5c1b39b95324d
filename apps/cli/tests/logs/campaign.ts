/** `node tests/logs/campaign.ts [SEEDS]` follows many zones and reports each seed. Exits 1 if a tail lost or repeated a row. */
import { defined } from '@cdn/kit/defined'
import { followZone, type Story } from '../support/followed-zone.ts'

const variants: readonly NonNullable<Story['variants']>[] = [
  {},
  { requestIds: 'some null', nullFields: 'null', emptyPage: 'null' },
  { requestIds: 'some shared', rateWindow: 'bucket', futureTo: 'clamped' },
  { refusedRequests: 'counted', retryAfter: 'present', pageCap: 1000 },
]
const first = 100
const seeds = Number(process.argv[2] ?? 20)

for (let seed = first; seed < first + seeds; seed++) {
  const { shown, expected } = await followZone({
    seed,
    variants: defined(variants[seed % variants.length]),
    minutes: 12,
    latenessMs: 120_000,
    maxLatenessMs: 110_000,
    ...(seed % 3 === 0 && { restartAt: 4 + (seed % 7) }),
  })
  const isRight = JSON.stringify(shown) === JSON.stringify(expected)
  console.log(`seed ${seed}: ${shown.length} of ${expected.length} rows, ${isRight ? 'each once' : 'WRONG'}`)
  if (!isRight) process.exitCode = 1
}
