import { readConfig } from '../config/read-config.ts'
import { ofShard } from '../config/shard.ts'
import { isForbidden } from '../engine/failure.ts'
import { ExporterConfigurationError, SinkError } from '../errors.ts'
import type { ExporterContext, ProcessEnvironment } from './context.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { interruptProcess } from './interruption.ts'
import { describeError } from './log.ts'
import { type ExporterCommand, parseCommand, usage } from './options.ts'

/**
 * Runs a command line. Writes one sentence per failure to `err`.
 *
 * @param args without the paths of the runtime and the script
 * @returns the exit code (docs/exporter.md)
 */
export async function runExporter(args: readonly string[], { env, out, err }: ProcessEnvironment): Promise<number> {
  const interruption = interruptProcess()
  try {
    const command = parseCommand(args, env)
    if (command.name === 'help') {
      out.write(usage)
      return exporterExitCodes.done
    }
    return await perform(command, { env, out, err, signal: interruption.signal })
  } catch (error) {
    if (interruption.signal.aborted) return exporterExitCodes.interrupted
    for (const line of describeError(error).message.split('\n')) err.write(`cdn-logs-exporter: ${line}\n`)
    return exitCodeOf(error)
  } finally {
    interruption.release()
  }
}

/** Runs a command. The modules of a command are loaded on demand, so no command waits for those of another one. */
async function perform(command: Exclude<ExporterCommand, { name: 'help' }>, context: ExporterContext): Promise<number> {
  const { env, signal } = context
  const whole = await readConfig(command.config, env)
  const selected = command.shard ? ofShard(whole, command.shard) : whole
  if (command.name === 'run') {
    const { exportZones } = await import('./run.ts')
    return exportZones(command.listen ? { ...selected, listen: command.listen } : selected, context)
  }
  const config = selected.zonesFrom
    ? { ...selected, zones: await (await import('./runtime.ts')).zonesOf(selected, env, signal) }
    : selected
  switch (command.name) {
    case 'backfill':
      return (await import('./backfill.ts')).runBackfill(config, command, context)
    case 'verify':
      return (await import('./verify.ts')).runVerify(config, command, context)
    case 'status':
      return (await import('./status.ts')).status(config, command, context)
    case 'config check':
      return (await import('./config-check.ts')).checkConfig(config, command, context)
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ExporterConfigurationError) return exporterExitCodes.configuration
  if (error instanceof SinkError && error.kind === 'permanent') return exporterExitCodes.configuration
  if (isForbidden(error)) return exporterExitCodes.refused
  return exporterExitCodes.failed
}
