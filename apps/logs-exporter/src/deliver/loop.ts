import type { Observe } from '../engine/events.ts'
import { isDamage } from '../engine/failure.ts'
import { DeliveryError, SinkError, toError } from '../errors.ts'
import { countLines } from '../formats/format.ts'
import type { Ledger, NextSegment } from '../ledger/ledger.ts'
import type { Rejects } from '../ledger/rejects.ts'
import { maxFailures, pauseAfter } from '../retry.ts'
import type { Lines } from '../rows/encoder.ts'
import { rangeText } from '../segments/segment.ts'
import { type Sink, segmentsOf } from '../sinks/sink.ts'
import { sleepUntil } from '../wake.ts'
import { cutPieces, keyedLines, type Piece } from './pieces.ts'

/** The result of a piece that a receiver accepted. */
export interface Receipt {
  /** Number of rows that it permanently refused. */
  readonly refused: number
  /** Those rows with the reason, if the receiver names them. */
  readonly rejects: Lines['rejects']
}

export const accepted: Receipt = { refused: 0, rejects: [] }

/** The protocol of a delivery. */
export interface Receiver {
  /** Checks the settings without the network. @throws DeliveryError with one sentence that says what to change */
  check(): Promise<void>
  /** Connects once, without a row. @throws DeliveryError, or the signal's reason */
  connect(signal: AbortSignal): Promise<void>
  /**
   * Sends a piece once. The loop repeats it after a failure.
   *
   * @returns when the receiver has the piece
   * @throws DeliveryError, or the signal's reason
   */
  send(piece: Piece, signal: AbortSignal): Promise<Receipt>
}

export interface Delivery {
  readonly name: string
  readonly receiver: Receiver
  readonly sink: Pick<Sink, 'segments' | 'read'>
  readonly ledger: Pick<Ledger, 'nextSegment' | 'moveCursor'>
  readonly rejects: Rejects
  readonly observe: Observe
  /** Resolves when the ledger records the next window. */
  recorded(): Promise<void>
  /** Waits. Resolves early, without an error, if the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
}

/** Interval between checks for new segments if the ledger records none, in ms. */
const idleMs = 30_000
const pauses = { firstMs: 1_000, maxMs: 5 * 60_000, randomShare: 0.5 }
/** Failed consecutive reads of a damaged segment after which a delivery leaves it out: 30 to 65 minutes after the first one. */
const maxDamage = 20

/**
 * Sends segments to a receiver in the order in which the ledger recorded them, one piece at a time. The cursor moves after each
 * piece. Failures are repeated without a limit, with growing pauses. The delivery only reads the sink, so the export never waits
 * for it.
 *
 * @param untilSent whether to end when all segments are sent, or after several consecutive failures
 * @returns after the signal fires, or with `untilSent` at the end: whether all segments are sent
 * @throws DeliveryError (closed) if the receiver will never accept a piece again
 */
export async function runDelivery(delivery: Delivery, { untilSent = false } = {}): Promise<boolean> {
  const { name, ledger, observe, signal, sleep } = delivery
  let failures = 0
  /** Consecutive failures because the segment is damaged. Any other failure resets the number. */
  let damaged = 0
  const reset = () => {
    failures = damaged = 0
  }
  while (!signal.aborted) {
    try {
      const recorded = delivery.recorded()
      const next = await ledger.nextSegment(name)
      if (next) {
        await deliverSegment(delivery, next, damaged >= maxDamage, reset)
        reset()
      } else if (untilSent) return true
      else await sleepUntil(recorded, { sleep, ms: idleMs, signal })
    } catch (cause) {
      if (signal.aborted) break
      if (cause instanceof DeliveryError && cause.kind === 'closed') throw cause
      failures++
      damaged = isDamage(cause) ? damaged + 1 : 0
      const requestedMs = cause instanceof DeliveryError ? cause.retryAfterMs : 0
      const waitMs = pauseAfter(failures, pauses, requestedMs)
      observe({ type: 'delivery-failed', delivery: name, error: toError(cause), failures, waitMs })
      if (untilSent && failures >= maxFailures) return false
      await sleep(waitMs, signal)
    }
  }
  return false
}

/**
 * Runs deliveries side by side, each with a cursor of its own.
 *
 * @returns for each, what {@link runDelivery} returns
 * @throws DeliveryError (closed) of the first one, after the others have ended
 */
export async function runDeliveries(
  deliveries: readonly Omit<Delivery, 'signal'>[],
  signal: AbortSignal,
  options: { readonly untilSent?: boolean } = {},
): Promise<readonly boolean[]> {
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const running = deliveries.map((each) => runDelivery({ ...each, signal: until }, options))
  try {
    return await Promise.all(running)
  } finally {
    stop.abort()
    await Promise.allSettled(running)
  }
}

/** @param isLeftOut whether a damaged segment becomes a dead letter instead of an error */
async function deliverSegment(
  delivery: Delivery,
  next: NextSegment,
  isLeftOut: boolean,
  onSent: () => void,
): Promise<void> {
  const { name, sink, ledger, rejects, observe, signal } = delivery
  try {
    const { zone, from, to, revision } = next
    const segment = (await segmentsOf(sink, { zone, from, to }, signal)).find((each) => each.revision === revision)
    if (!segment)
      throw new SinkError('damaged', `The sink lacks segment r${revision} of zone ${zone}, ${rangeText(next)}.`)
    for await (const piece of cutPieces(next, sink.read(segment, signal), next.sent)) {
      const { refused, rejects: lines } = await sendPiece(delivery, piece)
      if (lines.length > 0) await rejects.add(`delivery=${name}`, lines)
      await ledger.moveCursor(name, next, piece.isLast ? 'whole' : piece.offset + piece.bytes.length)
      onSent()
      const reason = lines[0]?.reason
      observe({ type: 'delivered', delivery: name, rows: countLines(piece.bytes), refused, reason })
    }
  } catch (error) {
    if (!isLeftOut || !isDamage(error)) throw error
    await rejects.add(`delivery=${name}`, [{ text: '', reason: error.message }])
    await ledger.moveCursor(name, next, 'whole')
    observe({ type: 'delivered', delivery: name, rows: 0, refused: 1, reason: error.message })
  }
}

/** Sends a piece. If the receiver refuses it, all its rows are rejects. */
async function sendPiece({ receiver, signal }: Delivery, piece: Piece): Promise<Receipt> {
  try {
    return await receiver.send(piece, signal)
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.kind !== 'refused') throw error
    const rejects = [...keyedLines(piece)].map(({ line }) => ({ text: line, reason: error.message }))
    return { refused: rejects.length, rejects }
  }
}
