import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { openSink } from '../sinks/open-sink.ts'
import type { Sink } from '../sinks/sink.ts'
import { rowsText } from '../verify/finding.ts'
import { verify as examine } from '../verify/index.ts'
import { exitCodes } from './exit-codes.ts'
import type { Range } from './options.ts'
import { encodersFor, openReader, planOf } from './runtime.ts'

/** What `verify` needs beside the configuration. */
export interface VerifyOptions {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  readonly signal: AbortSignal
  /** Those of the configuration and all that the sink has where it is empty. */
  readonly zones: readonly string[]
  /** All that the sink has where it is absent. */
  readonly range: Range | undefined
}

/**
 * Reads the sink, not the ledger, and compares it with itself and with the platform.
 *
 * @returns the exit code: 0, 6 where anything differs, 130 where it was interrupted; `out` has a sentence for each difference
 * @throws what makes it impossible to look
 */
export async function verify(config: Config, { env, out, signal, zones, range }: VerifyOptions): Promise<number> {
  if (config.sink.type === 'stdout' || config.sink.type === 'otlp')
    throw new ConfigurationError(
      `What went to ${config.sink.type} cannot be read back; verify needs files, s3 or postgres.`,
    )
  const sink = await openSink(config.sink, env)
  try {
    const reader = await openReader(config, { env })
    const encode = encodersFor(sink, config).v2
    const findings = examine({
      sink,
      plan: planOf(config),
      reader,
      encode,
      signal,
      zones: zones.length > 0 ? zones : await allZones(config, sink, signal),
      ...(range && { range }),
    })
    let found = 0
    for (;;) {
      const next = await findings.next()
      if (next.done) {
        const { zones, segments, rows, rejected } = next.value
        out.write(
          `${found === 0 ? 'No difference' : `${found} difference${found === 1 ? '' : 's'}`} in ${rows} rows of ${segments} segments of ${zones} zone${zones === 1 ? '' : 's'}.\n`,
        )
        if (rejected > 0) {
          out.write(`${rowsText(rejected)} of the platform cannot be exported; the reject files say why.\n`)
        }
        return found === 0 ? exitCodes.done : exitCodes.lost
      }
      found++
      out.write(`${next.value.sentence}\n`)
    }
  } finally {
    await sink.close()
  }
}

/** A zone of which the sink has nothing may have lost it; one that is no longer configured may still be there. */
async function allZones({ zones }: Config, sink: Sink, signal: AbortSignal): Promise<string[]> {
  const all = new Set(zones)
  for await (const zone of sink.zones(signal)) all.add(zone)
  return [...all]
}
