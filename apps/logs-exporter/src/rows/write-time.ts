import { type Output, viewOf } from './output.ts'

const [zero, zone, quote] = [48, 90, 34]

/**
 * Makes the function that writes a time, in ms since 1970, as it stands in a line: `"2026-06-17T14:30:00.000Z"`. What neighbours have in
 * common is made once.
 */
export function createTimeWriter(): (time: number, output: Output) => void {
  let second = Number.NaN
  let prefix = viewOf('')
  return (time, output) => {
    const at = Math.floor(time / 1000)
    if (at !== second) {
      prefix = viewOf(`"${new Date(at * 1000).toISOString().slice(0, -4)}`)
      second = at
    }
    const ms = time - at * 1000
    const tens = Math.floor(ms / 10)
    output.copy(prefix, 0, prefix.byteLength)
    output.byte(zero + Math.floor(ms / 100))
    output.byte(zero + (tens % 10))
    output.byte(zero + (ms % 10))
    output.byte(zone)
    output.byte(quote)
  }
}
