import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { median } from '../rates.ts'
import { digits, type Measurement } from '../row.ts'
import { buildSubject } from '../subjects/build.ts'
import { startFile, startOf, startSubject } from '../subjects/child.ts'
import type { Delivered, DeliveryTask } from '../subjects/delivery.ts'
import type { LogServer } from '../subjects/log-server.ts'

const from = Date.UTC(2026, 5, 17)
const rows = 100_000
const memory = 40_000_000
const rounds = 5

/** Measures how much a delivery slows the export: both in one process, on two cores, in alternate rounds. */
export const delivery: Measurement = {
  name: 'delivery',
  async run() {
    const receiver = createServer((request, response) => {
      request.resume().on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { file, remove } = await buildSubject('delivery')
    const server = await startSubject('log-server', { start: from, rows, agentBytes: 0 } satisfies LogServer)
    const subject = await startFile(file, {}, startOf('apps/logs-exporter/src/bin.ts'))
    try {
      const task: DeliveryTask = { url: server.loggingUrl, from, rows, memory }
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      const rates: Record<'with' | 'without', number[]> = { with: [], without: [] }
      const shares: number[] = []
      for (let round = -1; round < rounds; round++) {
        const without = await subject.ask<Delivered>(task)
        const withOne = await subject.ask<Delivered>({ ...task, receiver: url })
        if (round < 0) continue // a warm-up
        rates.without.push((rows * 1000) / without.ms)
        rates.with.push((rows * 1000) / withOne.ms)
        shares.push(withOne.delivered / rows)
      }
      const [ours, alone] = [median(rates.with), median(rates.without)]
      return [
        {
          what: 'exporter with one delivery (http, gzip), rows/s',
          ours: `${digits(ours)}; ${Math.round(median(shares) * 100)} % delivered meanwhile`,
          peer: `without a delivery ${digits(alone)}: ${digits(ours / alone)} times`,
          bound: 'at least 0.9 times',
          met: ours / alone >= 0.9,
        },
      ]
    } finally {
      receiver.close()
      await Promise.all([server.stop(), subject.stop(), remove()])
    }
  },
}
