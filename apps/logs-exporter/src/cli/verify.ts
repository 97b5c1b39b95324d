import { plural } from '@cdn/kit/plural'
import type { Config } from '../config/config.ts'
import { isInShard } from '../config/shard.ts'
import { isRefusal } from '../engine/failure.ts'
import { isoTime, rangeText } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import type { Cluster, Finding } from '../verify/findings.ts'
import { verifySink } from '../verify/index.ts'
import type { ExporterContext } from './context.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { openEnds } from './open-runtime.ts'
import type { CommandOf } from './options.ts'
import { createProgress } from './progress.ts'
import { resolveRange } from './range.ts'

/**
 * Compares the sink with itself and with the platform. Does not read the ledger. Writes one sentence per difference to `out`, and
 * progress to `err`.
 *
 * @returns the exit code: 0 if all is equal; 6 if there is a difference
 * @throws Error if the sink or the platform cannot be read, or the signal fires
 */
export async function runVerify(
  config: Config,
  { zones, range: requested }: CommandOf<'verify'>,
  { env, out, err, signal }: ExporterContext,
): Promise<number> {
  await using ends = await openEnds(config, env)
  const { sink, reader, plan, encode } = ends
  const checked = zones.length > 0 ? zones : await allZones(config, sink, signal)
  if (checked[0] !== undefined) await reader.synchronize(checked[0], signal)
  const range = requested && resolveRange(requested, reader.now(), plan)
  const hidden = new Set<string>()
  // The export of a zone ends when it is deleted. Its segments stay.
  const unconfigured = zones.length > 0 ? [] : checked.filter((zone) => !config.zones.includes(zone))
  for (const zone of unconfigured)
    await reader.ask(zone, signal).catch((error) => {
      if (!isRefusal(error)) throw error
      hidden.add(zone)
    })
  let differences = 0
  const report = ({ sentence }: Finding) => {
    differences++
    out.write(`${sentence}\n`)
  }
  const progress = createProgress(err)
  let verified = 0
  const onProgress = ({ zone, to, segments }: Cluster) => {
    verified += segments.length
    progress(() => `${verified} segments verified, of zone ${zone} up to ${isoTime(to)}`)
  }
  const work = { zones: checked, hidden, range, plan, onProgress }
  const {
    zones: count,
    segments,
    rows,
    rejected,
    unread,
  } = await verifySink({ ...work, sink, reader, encode, signal }, report)
  const result = differences === 0 ? 'No difference' : plural(differences, 'difference')
  out.write(`${result} in ${plural(rows, 'row')} of ${plural(segments, 'segment')} of ${plural(count, 'zone')}.\n`)
  for (const zone of hidden) out.write(`The platform does not show zone ${zone}; only its segments were checked.\n`)
  for (const range of unread)
    out.write(`The platform cannot show zone ${range.zone} from ${rangeText(range)}; that range was not compared.\n`)
  if (rejected > 0)
    out.write(
      `${plural(rejected, 'row')} of the platform cannot be exported; cdn-logs-exporter status names the files with the reasons.\n`,
    )
  return differences === 0 ? exporterExitCodes.done : exporterExitCodes.lost
}

/** The configured zones, and those of the shard in the sink. A zone may have lost its segments, or may no longer be configured. */
async function allZones({ zones, shard }: Config, sink: Sink, signal: AbortSignal): Promise<string[]> {
  const all = new Set(zones)
  for await (const zone of sink.zones(signal)) if (!shard || isInShard(shard, zone)) all.add(zone)
  return [...all]
}
