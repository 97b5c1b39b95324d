import type { Receiver } from '../../src/deliver/loop.ts'
import { runDelivery } from '../../src/deliver/loop.ts'
import type { Simulation } from '../support/simulation.ts'

/**
 * Starts a delivery in virtual time, which stands still while a request is on its way.
 *
 * @returns a function that stops it
 */
export function startDelivery(simulation: Simulation, name: string, receiver: Receiver): () => Promise<void> {
  const { sink, ledger, time, events } = simulation
  const stop = new AbortController()
  const ended = runDelivery({
    name,
    receiver: { ...receiver, send: (piece, signal) => time.during(receiver.send(piece, signal)) },
    sink,
    ledger,
    rejects: { add: async (_, rejects) => Promise.reject(new Error(`Unexpected rejects: ${JSON.stringify(rejects)}`)) },
    observe: (event) => void events.push(event),
    recorded: () => new Promise(() => {}),
    sleep: (ms, signal) => time.sleep(ms, signal).catch(() => {}),
    signal: stop.signal,
  })
  return async () => {
    stop.abort(new Error('the delivery ends'))
    await ended
  }
}
