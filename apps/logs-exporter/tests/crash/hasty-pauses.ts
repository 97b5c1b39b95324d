/**
 * Shortens all pauses to a thousandth, also the retry pauses of the sinks. To do so, it patches `node:timers/promises` for all
 * importers. Time-outs keep their length.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

export const haste = 1000
/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1
const { setTimeout } = timers

timers.setTimeout = (ms = 1, ...rest) => setTimeout(Math.min(ms / haste, maxTimerMs), ...rest)
syncBuiltinESMExports()
