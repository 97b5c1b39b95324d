import { durationText, minuteText } from '../exchange/format-text.ts'
import type { RememberedRun } from '../exchange/report-model.ts'
import { hasResult } from '../verdict/changes.ts'

/**
 * Describes the newest run and the last one with a result, and whether the newest one has a result and is recent.
 *
 * @param now ms since 1970
 * @param maxAgeMs maximum time since the start of a recent run
 */
export function statusOf(runs: readonly RememberedRun[], now: number, maxAgeMs: number) {
  const newest = runs.at(-1)
  if (!newest) return { isGood: false, sentences: ['No run is in the memory.'] }
  const last = runs.findLast(hasResult)
  const ageOf = ({ at }: RememberedRun) => now - Date.parse(at)
  const began = (run: RememberedRun) => `began at ${minuteText(run.at)}, ${durationText(ageOf(run))} ago`
  const isRecent = ageOf(newest) <= maxAgeMs
  const complete = last
    ? `The last run with a result ${began(last)}, with exit code ${last.exitCode}.`
    : 'No run had a result.'
  return {
    isGood: isRecent && newest === last,
    sentences: [
      `The newest run ${began(newest)}, with exit code ${newest.exitCode}. ${newest.sentence}`,
      ...(newest === last ? [] : [complete]),
      ...(isRecent ? [] : [`The newest run is older than ${durationText(maxAgeMs)}.`]),
    ],
  }
}
