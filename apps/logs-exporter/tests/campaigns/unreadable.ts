/**
 * Exports logs with one or two rows that the platform cannot send, each kind alone and in pairs, by the daemon and by a backfill:
 * `node unreadable.ts [KIND | --pairs]`. Exits with 1 if a row is lost or doubled, or a row that is not spoilt is not stored.
 */
import { brokenMinute, exportSpoilt, spoils } from '../support/spoilt-logs.ts'

const kinds = [...Object.keys(spoils), brokenMinute]
const pairs = kinds.flatMap((one, n) => kinds.slice(n + 1).map((other) => [one, other]))
const sets = process.argv.includes('--pairs') ? pairs : kinds.map((kind) => [kind])
let [wrong, maxWaitS, maxRequests] = [0, 0, 0]
const only = process.argv[2]?.startsWith('--') ? undefined : process.argv[2]
for (const set of sets.filter((each) => !only || each.includes(only))) {
  for (const mode of ['run', 'backfill'] as const) {
    const result = await exportSpoilt(set, mode)
    const { rows, stored, letters, open, gone, lost, doubled, nextWindowS, gapMs, requests } = result
    const isRight = lost === 0 && doubled === 0 && gone === 0 && rows - stored <= set.length && nextWindowS < 3600
    if (!isRight) wrong++
    maxWaitS = Math.max(maxWaitS, nextWindowS)
    maxRequests = Math.max(maxRequests, requests)
    const figures = `${stored} of ${rows} stored, ${letters} dead letters, ${open} in gaps of ${gapMs} ms, ${gone} gone, ${lost} lost`
    console.log(
      `${isRight ? 'ok   ' : 'WRONG'} ${set.join(' + ')} (${mode}): ${figures}; next window ${nextWindowS} s, ${requests} requests`,
    )
  }
}
console.log(
  `${sets.length * 2} exports: ${wrong} wrong; next window after at most ${maxWaitS} s; at most ${maxRequests} requests`,
)
process.exitCode = wrong === 0 ? 0 : 1
