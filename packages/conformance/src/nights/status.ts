/** Whether nights are missing. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { durationText, minuteText } from '../report/text.ts'
import type { Night } from './history.ts'

/** Parses a duration such as `36h`, `90m` or `2d`. @returns milliseconds */
export function parseAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
  const unitMs = units[unit]
  if (unitMs === undefined) throw new InvalidArgumentError('expected a duration such as 36h')
  return Number(count) * unitMs
}

/**
 * Describes the last complete run against a kind of target, and whether it is recent.
 *
 * @param now ms since 1970
 * @param maxAgeMs maximum time since the start of the last complete run
 */
export function statusOf(
  nights: readonly Night[],
  kind: string,
  now: number,
  maxAgeMs: number,
): { readonly isRecent: boolean; readonly sentence: string } {
  const last = nights.findLast((night) => night.status === 'complete' && night.target.split(' ')[0] === kind)
  if (!last) return { isRecent: false, sentence: `No complete run against the target ${kind} is in the history.` }
  const ageMs = now - Date.parse(last.at)
  const sentence = `The last complete run against the target ${kind} began at ${minuteText(last.at)}, ${hours(ageMs)} ago, with exit code ${last.exitCode}.`
  return ageMs <= maxAgeMs
    ? { isRecent: true, sentence }
    : { isRecent: false, sentence: `${sentence} It is older than ${hours(maxAgeMs)}.` }
}

function hours(ms: number): string {
  return ms < 3_600_000 ? durationText(ms) : `${(ms / 3_600_000).toFixed(1)} h`
}
