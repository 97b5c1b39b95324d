import { Agent } from 'node:http'
import { compare } from '../rates.ts'
import { pageUrl, readAll, readPage } from '../read-page.ts'
import { digits, type Measurement } from '../row.ts'
import { startSubject } from '../subjects/child.ts'
import type { Stored } from '../subjects/emulator-server.ts'

const rowsPerSecond = 20
const zones = 40
const stored = '20001'

/** Reads v2 pages with limit=10000 over one socket. Compares with a bare server that sends responses of the same size. */
export const pages: Measurement = {
  name: 'pages',
  async run() {
    const subject = await startSubject('emulator-server', { traffic: { zones, rowsPerSecond, lateShare: 0.05 } })
    await subject.ask<Stored>({ store: { from: '10001', to: stored, ms: 12 * 3_600_000 } })
    const now = await subject.ask<number>({ advance: 0 })
    const page = await readPage(pageUrl(subject, '10001', { now, rowsPerSecond }, 1), subject.accessKey, new Agent())
    const bare = await startSubject('bare-server', { page })
    try {
      const zoneIds = Array.from({ length: zones }, (_, index) => String(10_001 + index))
      const [generatedRate, storedRate, floor] = await compare([
        readAll(subject, { now, rowsPerSecond, zoneIds }),
        readAll(subject, { now, rowsPerSecond, zoneIds: [stored] }),
        readAll(bare, { now, rowsPerSecond, zoneIds }),
      ])
      const row = { bound: 'at least 100,000 rows/s', peer: `bare node:http, same size: ${digits(floor)} rows/s` }
      return [
        {
          what: 'v2, limit=10000, generated traffic',
          ours: `${digits(generatedRate)} rows/s`,
          ...row,
          met: generatedRate >= 100_000,
        },
        {
          what: 'v2, limit=10000, rows from the store',
          ours: `${digits(storedRate)} rows/s`,
          ...row,
          met: storedRate >= 100_000,
        },
      ]
    } finally {
      await Promise.all([subject.stop(), bare.stop()])
    }
  },
}
