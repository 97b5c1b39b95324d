import { Agent } from 'node:http'
import { compare } from '../rates.ts'
import { pageUrl, readAll, readPage } from '../read-page.ts'
import { digits, type Measurement } from '../row.ts'
import { startSubject } from '../subjects/child.ts'
import type { Stored } from '../subjects/emulator-server.ts'

const rowsPerSecond = 20
const zones = 40
const stored = '20001'

/** v2 at limit=10000 over one socket, one page after the other; beside it a bare server that sends as many bytes. */
export const pages: Measurement = {
  name: 'pages',
  async run() {
    const subject = await startSubject('emulator-server', { traffic: { zones, rowsPerSecond, lateShare: 0.05 } })
    await subject.ask<Stored>({ store: { from: '10001', to: stored, ms: 12 * 3_600_000 } })
    const now = await subject.ask<number>({ advance: 0 })
    const page = await readPage(pageUrl(subject, '10001', now, rowsPerSecond, 1), subject.accessKey, new Agent())
    const bare = await startSubject('bare-server', { page })
    try {
      const zoneIds = Array.from({ length: zones }, (_, index) => String(10_001 + index))
      const [made = 0, kept = 0, floor = 0] = await compare([
        readAll(subject, { now, rowsPerSecond, zoneIds }),
        readAll(subject, { now, rowsPerSecond, zoneIds: [stored] }),
        readAll(bare, { now, rowsPerSecond, zoneIds }),
      ])
      const row = { bound: 'at least 100,000 rows/s', peer: `bare node:http, as many bytes: ${digits(floor)} rows/s` }
      return [
        {
          what: 'v2, limit=10000, traffic made as it is read',
          ours: `${digits(made)} rows/s`,
          ...row,
          met: made >= 100_000,
        },
        { what: 'v2, limit=10000, rows from the store', ours: `${digits(kept)} rows/s`, ...row, met: kept >= 100_000 },
      ]
    } finally {
      await Promise.all([subject.stop(), bare.stop()])
    }
  },
}
