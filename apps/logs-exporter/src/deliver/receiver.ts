import type { Lines } from '../rows/encoder.ts'
import type { Piece } from './pieces.ts'

/** What a receiver did with a piece that it accepted. */
export interface Receipt {
  /** Number of rows that it permanently refused. */
  readonly refused: number
  /** Those rows with the reason, if the receiver names them. */
  readonly rejects: Lines['rejects']
}

/** A receipt without refused rows. */
export const accepted: Receipt = { refused: 0, rejects: [] }

/** The protocol of a delivery. */
export interface Receiver {
  /** Checks what can be checked without a row. @throws DeliveryError with one sentence that says what to change */
  check(signal: AbortSignal): Promise<void>
  /**
   * Sends a piece once. The loop repeats it after a failure.
   *
   * @returns when the receiver has the piece
   * @throws DeliveryError, or the signal's reason
   */
  send(piece: Piece, signal: AbortSignal): Promise<Receipt>
}
