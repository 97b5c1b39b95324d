import { ApiError } from '@cdn/api'
import { ExporterConfigurationError } from '../config/configuration-error.ts'
import { readConfig } from '../config/read-config.ts'
import { ofShard } from '../config/shard.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { interruptProcess } from './interruption.ts'
import { createLog, describeError } from './log.ts'
import { type ExporterCommand, parseCommand, usage } from './options.ts'
import type { Terminal } from './progress.ts'

/** Environment variables and output streams of a command. */
export interface ProcessEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  readonly err: Terminal
}

/**
 * Runs a command line. Writes one sentence per failure to `err`.
 *
 * @param args without the paths of the runtime and the script
 * @returns the exit code (docs/exporter.md)
 */
export async function runExporter(args: readonly string[], surroundings: ProcessEnvironment): Promise<number> {
  const interruption = interruptProcess()
  try {
    const command = parseCommand(args, surroundings.env)
    if (command.name === 'help') {
      surroundings.out.write(usage)
      return exporterExitCodes.done
    }
    return await perform(command, surroundings, interruption.signal)
  } catch (error) {
    if (interruption.signal.aborted) return exporterExitCodes.interrupted
    for (const line of describeError(error).message.split('\n')) surroundings.err.write(`cdn-logs-exporter: ${line}\n`)
    return exitCodeOf(error)
  } finally {
    interruption.release()
  }
}

/** Runs a command. The modules of a command are loaded on demand, so no command waits for those of another one. */
async function perform(
  command: Exclude<ExporterCommand, { name: 'help' }>,
  { env, out, err }: ProcessEnvironment,
  signal: AbortSignal,
): Promise<number> {
  const whole = await readConfig(command.config, env)
  const selected = command.shard ? ofShard(whole, command.shard) : whole
  if (command.name === 'run') {
    const { exportZones } = await import('./run.ts')
    return exportZones(command.listen ? { ...selected, listen: command.listen } : selected, {
      env,
      log: createLog(),
      signal,
    })
  }
  const config = selected.zonesFrom
    ? { ...selected, zones: await (await import('./runtime.ts')).zonesOf(selected, env, signal) }
    : selected
  switch (command.name) {
    case 'backfill': {
      const { runBackfill } = await import('./backfill.ts')
      return runBackfill(config, { ...command, env, log: createLog(), out, err, signal })
    }
    case 'verify': {
      const { runVerify } = await import('./verify.ts')
      return runVerify(config, { ...command, env, out, signal })
    }
    case 'status': {
      const { status } = await import('./status.ts')
      return status(config, command.json, out)
    }
    case 'config check': {
      const { checkConfig } = await import('./config-check.ts')
      return checkConfig(config, { path: command.config, env, out, signal })
    }
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ExporterConfigurationError) return exporterExitCodes.configuration
  if (error instanceof SinkError && error.kind === 'permanent') return exporterExitCodes.configuration
  if (error instanceof ApiError && [401, 403].includes(error.status)) return exporterExitCodes.refused
  return exporterExitCodes.failed
}
