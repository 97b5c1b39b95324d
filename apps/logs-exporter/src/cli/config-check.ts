import { resolve } from 'node:path'
import { ApiError, TransportError } from '@cdn/api'
import { messageOf } from '@cdn/kit/error-message'
import { plural } from '@cdn/kit/plural'
import { describeOffset } from '@cdn/kit/server-clock'
import { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { LedgerInUseError } from '../errors.ts'
import { serveHealth } from '../health/server.ts'
import { tryLedger } from '../ledger/open-ledger.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import { probeKey } from '../sinks/objects/index.ts'
import type { ExporterContext } from './context.ts'
import { exitCodeOfFailures, exporterExitCodes } from './exit-codes.ts'
import { openEnds, zonesOf } from './open-runtime.ts'
import type { CommandOf } from './options.ts'
import { withoutNewFolders } from './without-new-folders.ts'

/** Maximum number of concurrent requests. */
const atOnce = 8

type Say = (text: string) => void

/**
 * Opens what `run` opens before its first request. Then tests the sink and, with one request per zone, the
 * credential and the clock. Leaves no file behind on this machine, and names what stays in a remote sink.
 *
 * @returns the exit code: 0 if all is right; 3 if the platform answers 401 or 403 for every zone; 1 if another request fails
 * @throws ConfigurationError, LedgerError, SinkError or Error with a message of one sentence
 */
export async function checkConfig(
  fileConfig: Config,
  { config: name, offline }: CommandOf<'config check'>,
  { env, out, signal }: ExporterContext,
): Promise<number> {
  const say: Say = (text) => out.write(`${name}: ${text}\n`)
  const listed = offline ? {} : await zonesOf(fileConfig, env, signal)
  const config = { ...fileConfig, ...listed }
  if (config.paused.length > 0)
    say(`${plural(config.paused.length, 'zone')} paused (suspended, disabled or without logging)`)
  return withoutNewFolders(config, async () => {
    await using ends = await openEnds(config, env)
    await checkPlace(config, say)
    if (!offline || config.sink.type === 'files') {
      await ends.sink.check(signal)
      say(`the sink can be used: ${placeOf(config, ends.sink.name)}`)
    }
    if (!offline) return checkZones(config.zones, ends.reader, say, signal)
    say('the network was not used')
    return exporterExitCodes.done
  })
}

/** Describes where a sink is, and what a check leaves there. `run` needs the same tables and objects. */
function placeOf({ sink }: Config, name: string): string {
  if (sink.type === 'files') return `files in ${resolve(sink.path)}`
  if (sink.type === 'postgres') return `${name}; its tables exist now`
  return `${name}; the object ${probeKey(sink.prefix)} stays there`
}

/** Opens the ledger and the port as `run` does. If an exporter runs with this configuration, they are left alone. */
async function checkPlace({ ledger, listen }: Config, say: Say): Promise<void> {
  try {
    await tryLedger(ledger)
  } catch (error) {
    if (!(error instanceof LedgerInUseError)) throw error
    return say(`an exporter works with the ledger ${ledger}, so the ledger and the port were not tested`)
  }
  await using server = await serveHealth(listen, new Registry(), async () => [])
  say(`the ledger can be used: ${resolve(ledger)}; the port is free: ${server.url}`)
}

/** Sends one request per zone, several at a time. @returns the exit code */
async function checkZones(
  zones: readonly string[],
  reader: WindowReader,
  say: Say,
  signal: AbortSignal,
): Promise<number> {
  const left = [...zones]
  const failed = new Map<string, unknown>()
  async function work(): Promise<void> {
    for (let zone = left.shift(); zone !== undefined; zone = left.shift()) {
      const failure = await reader.ask(zone, signal).catch((error: unknown) => error)
      signal.throwIfAborted()
      // A daemon on this machine may use up the rate limit. A 429 still shows that the platform answers.
      if (failure && !(failure instanceof ApiError && failure.status === 429)) failed.set(zone, failure)
      // If one request gets no response, requests for the other zones would get none either.
      if (failure instanceof TransportError) left.length = 0
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const inOrder = zones.filter((zone) => failed.has(zone))
  for (const [reason, of] of Map.groupBy(inOrder, (zone) => messageOf(failed.get(zone))))
    say(`zone${of.length === 1 ? '' : 's'} ${of.join(', ')}: ${reason}`)
  const clock = describeOffset(Number.isFinite(reader.shownTime()) ? Date.now() - reader.now() : 0)
  if (clock) say(`the ${clock}; set it`)
  if (failed.size > 0) return exitCodeOfFailures([...failed.values()], zones.length)
  const answers = `the platform answers for ${zones.length === 1 ? 'the zone' : `all ${zones.length} zones`}`
  say(zones.length === 0 ? 'there are no zones to export' : answers)
  return exporterExitCodes.done
}
