/**
 * Lets pauses take a thousandth of their time, also those of the sinks between their attempts: it changes what
 * `node:timers/promises` gives, whoever has imported it. Time-outs are as long as ever.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

export const haste = 1000
/** Timers take no more than a signed int32 of milliseconds. */
const longestTimer = 2 ** 31 - 1
const { setTimeout } = timers

timers.setTimeout = (ms = 1, ...rest) => setTimeout(Math.min(ms / haste, longestTimer), ...rest)
syncBuiltinESMExports()
