import { maxPageSize } from '@cdn/api'
import type { Grant, PageBudget, PageReservation } from '@cdn/api/batches'
import { createBufferPool } from '../rows/bytes.ts'

/** Target size of a page, in bytes. Zones with longer rows get fewer rows per page. */
const pageBytes = 2 ** 23
/** Assumed row length of an unknown zone. If rows are shorter, the first page is short, which costs one more request. */
const unknownRowBytes = 4096
/** Size of a response without rows, with some room. */
const minBytes = 2 ** 14
/** Each page needs its size twice: for the page in memory, and for the lines that are encoded from it. */
const copies = 2
/** Minimum number of pages in flight, however long the rows are. */
const minPages = 3
/** Factor between the expected and the reserved rows, because traffic varies. */
const slack = 2

/** Measured traffic of a zone. */
interface Traffic {
  readonly rowBytes: number
  readonly rowsPerMs: number
}

/**
 * Creates the budget of bytes in flight, shared by all zones. A page counts from its request until the sink has taken its
 * lines. The traffic of a zone predicts the size of its next page. Pages that are read ahead may hold half of the budget. So they
 * never block a page that is next in the queue.
 *
 * @param bytes size of the budget; a page that is larger than expected exceeds it until its lines are taken
 * @param pool of the page buffers
 */
export function createBudget(bytes: number, pool = createBufferPool()): PageBudget & { readonly held: () => number } {
  const page = Math.min(pageBytes, Math.floor(bytes / (minPages * copies)))
  const traffic = new Map<string, Traffic>()
  const queue: (() => boolean)[] = []
  const held = { inTurn: 0, ahead: 0 }
  const total = () => held.inTurn + held.ahead

  const expect = ({ pullZoneId, ms }: PageReservation) => {
    const stats = traffic.get(String(pullZoneId))
    const rows = Math.floor(page / (stats?.rowBytes ?? unknownRowBytes))
    const expected = stats ? stats.rowBytes * stats.rowsPerMs * ms * slack : page
    return {
      rows: Math.min(Math.max(rows, 1), maxPageSize),
      expected: Math.ceil(Math.min(Math.max(expected, minBytes), page)) * copies,
    }
  }
  const admitNext = () => {
    while (queue[0]?.()) queue.shift()
  }
  const grant = ({ pullZoneId }: PageReservation, kind: keyof typeof held, rows: number, expected: number): Grant => {
    let share = expected
    held[kind] += share
    const room = pool.takeFree(expected / copies)
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
        if (read) pool.release(read)
        admitNext()
      },
    }
  }
  return {
    held: total,
    reserveAhead(page) {
      const { rows, expected } = expect(page)
      const isFull = queue.length > 0 || total() + expected > bytes / 2
      return isFull ? undefined : grant(page, 'ahead', rows, expected)
    },
    reserve(page, signal) {
      return new Promise((resolve, reject) => {
        const admit = () => {
          if (signal.aborted) return true
          const { rows, expected } = expect(page)
          if (held.inTurn > 0 && total() + expected > bytes) return false
          signal.removeEventListener('abort', stop)
          resolve(grant(page, 'inTurn', rows, expected))
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

/** Updates the prediction. It rises immediately and falls slowly, because a page should not exceed it. */
function learn(stats: Traffic | undefined, rowBytes: number, rowsPerMs: number): Traffic {
  const perMs = Number.isFinite(rowsPerMs) ? rowsPerMs : (stats?.rowsPerMs ?? 1)
  return {
    rowBytes: Math.max(rowBytes, ((stats?.rowBytes ?? rowBytes) + rowBytes) / 2),
    rowsPerMs: Math.max(perMs, ((stats?.rowsPerMs ?? perMs) + perMs) / 2),
  }
}
