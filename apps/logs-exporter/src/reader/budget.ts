import { largestPage } from '@cdn/api'
import type { Budget, Grant, WantedPage } from '@cdn/api/batches'

/** A page is asked for so that it stays about as small, in bytes: long rows make it shorter. */
const pageBytes = 2 ** 23
/** The length of a row of a zone that nothing is known of; a first page that is too short costs one request more. */
const unknownRowBytes = 4096
/** An answer without rows, with some room. */
const leastBytes = 2 ** 14
/** A page in memory, and the lines that are made of it. */
const copies = 2
/** So many pages can be in flight, however long the rows are. */
const leastPages = 3
/** Buffers that wait to be used again. */
const mostRooms = 2
/** Traffic is not even: how much more than expected there may be. */
const slack = 2

/** What is known of the rows of a zone. */
interface Traffic {
  readonly rowBytes: number
  readonly rowsPerMs: number
}

/**
 * Makes the one budget of bytes in flight over all zones: pages from the request on until their lines have been taken by
 * the sink. What a page will weigh is expected by the zone's traffic so far. Pages that are read ahead may hold half of it,
 * so that those whose turn it is always come through.
 *
 * @param bytes how many may be in flight; a page that turns out larger than expected goes beyond it until it is taken
 */
export function createBudget(bytes: number): Budget & { readonly held: () => number } {
  const page = Math.min(pageBytes, Math.floor(bytes / (leastPages * copies)))
  const traffic = new Map<string, Traffic>()
  const queue: (() => boolean)[] = []
  const held = { inTurn: 0, ahead: 0 }
  const rooms: ArrayBuffer[] = []
  const total = () => held.inTurn + held.ahead

  const expect = ({ pullZoneId, ms }: WantedPage) => {
    const known = traffic.get(String(pullZoneId))
    const rows = Math.floor(page / (known?.rowBytes ?? unknownRowBytes))
    const expected = known ? known.rowBytes * known.rowsPerMs * ms * slack : page
    return {
      rows: Math.min(Math.max(rows, 1), largestPage),
      expected: Math.ceil(Math.min(Math.max(expected, leastBytes), page)) * copies,
    }
  }
  const admitNext = () => {
    while (queue[0]?.()) queue.shift()
  }
  const grant = ({ pullZoneId }: WantedPage, kind: keyof typeof held, rows: number, expected: number): Grant => {
    let share = expected
    held[kind] += share
    const room = rooms.pop()
    return {
      rows,
      room: room && new Uint8Array(room),
      settle({ bytes: actual, rows, ms }) {
        held[kind] += actual * copies - share
        share = actual * copies
        if (rows > 0) traffic.set(String(pullZoneId), learn(traffic.get(String(pullZoneId)), actual / rows, rows / ms))
        admitNext()
      },
      release(read) {
        held[kind] -= share
        share = 0
        // Detached from whoever still looks at it, and used again: new ones would keep the garbage collector busy.
        if (read && rooms.length < mostRooms) rooms.push(read.transfer())
        admitNext()
      },
    }
  }
  return {
    held: total,
    reserveAhead(wanted) {
      const { rows, expected } = expect(wanted)
      const isFull = queue.length > 0 || total() + expected > bytes / 2
      return isFull ? undefined : grant(wanted, 'ahead', rows, expected)
    },
    reserve(wanted, signal) {
      return new Promise((resolve, reject) => {
        const admit = () => {
          if (signal.aborted) return true
          const { rows, expected } = expect(wanted)
          if (held.inTurn > 0 && total() + expected > bytes) return false
          signal.removeEventListener('abort', stop)
          resolve(grant(wanted, 'inTurn', rows, expected))
          return true
        }
        const stop = () => {
          reject(signal.reason)
          admitNext()
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', stop)
        queue.push(admit)
        if (queue.length === 1) admitNext()
      })
    },
  }
}

/** Rises at once, sinks slowly: a page must not be larger than expected. */
function learn(known: Traffic | undefined, rowBytes: number, rowsPerMs: number): Traffic {
  const perMs = Number.isFinite(rowsPerMs) ? rowsPerMs : (known?.rowsPerMs ?? 1)
  return {
    rowBytes: Math.max(rowBytes, ((known?.rowBytes ?? rowBytes) + rowBytes) / 2),
    rowsPerMs: Math.max(perMs, ((known?.rowsPerMs ?? perMs) + perMs) / 2),
  }
}
