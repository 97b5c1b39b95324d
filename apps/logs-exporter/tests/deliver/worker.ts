/**
 * A delivery in a process that can be killed: `node worker.ts '<assignment>'`. Exits with 0 when all segments are sent, and with 3 when
 * it gives up. Pauses are shortened to a thousandth.
 */
import { setTimeout } from 'node:timers/promises'
import { defined } from '@cdn/kit/defined'
import type { DeliveryConfig } from '../../src/config/config.ts'
import { runDelivery } from '../../src/deliver/loop.ts'
import { openReceiver } from '../../src/deliver/open-receiver.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { openRejects } from '../../src/ledger/rejects.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import '../crash/hasty-pauses.ts'

/** The work of a worker, passed as JSON. */
export interface DeliveryAssignment {
  readonly folder: string
  readonly config: DeliveryConfig
}

const { folder, config }: DeliveryAssignment = JSON.parse(defined(process.argv[2]))
const sink = await openSink({ type: 'files', path: `${folder}/logs`, format: 'ndjson', compression: 'zstd' }, {})
const ledger = openLedger(`${folder}/state`)
const isDone = await runDelivery(
  {
    name: config.name,
    receiver: await openReceiver(config, process.env),
    sink,
    ledger,
    rejects: openRejects(`${folder}/state`),
    observe: () => {},
    recorded: () => new Promise(() => {}),
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
    signal: new AbortController().signal,
  },
  { untilSent: true },
)
await ledger.close()
process.exitCode = isDone ? 0 : 3
