import { listenForInterruption } from '@cdn/kit/interruption'
import { readConfig } from '../config/read-config.ts'
import { configOfShard } from '../config/shard.ts'
import { describeError, isAbort } from '../errors.ts'
import type { ExporterContext, ProcessEnvironment } from './context.ts'
import { exitCodeOf, exporterExitCodes } from './exit-codes.ts'
import { type ExporterCommand, type Printed, parseCommand } from './options.ts'

/**
 * Runs a command line. Writes one sentence per failure to `err`.
 *
 * @param args without the paths of the runtime and the script
 * @returns the exit code (docs/exporter.md)
 */
export async function runExporter(args: readonly string[], { env, out, err }: ProcessEnvironment): Promise<number> {
  const interruption = listenForInterruption()
  try {
    const command = await parseCommand(args, env, (text) => out.write(text))
    if (typeof command === 'number') return command
    if (!('config' in command)) {
      out.write(await print(command))
      return exporterExitCodes.done
    }
    return await perform(command, { env, out, err, signal: interruption.signal })
  } catch (error) {
    const isInterrupted = interruption.signal.aborted
    if (!isInterrupted || !isAbort(error, interruption.signal))
      for (const line of describeError(error).message.split('\n')) err.write(`cdn-logs-exporter: ${line}\n`)
    return isInterrupted ? exporterExitCodes.interrupted : exitCodeOf(error)
  } finally {
    interruption.release()
  }
}

async function print({ name }: Printed): Promise<string> {
  if (name === 'config example') return (await import('../config/example.ts')).exampleConfig
  const { default: schema } = await import('../config/schema.json', { with: { type: 'json' } })
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

/** Runs a command. The modules of a command are loaded on demand, so no command waits for those of another one. */
async function perform(command: ExporterCommand, context: ExporterContext): Promise<number> {
  const { env, signal } = context
  const whole = await readConfig(command.config, env)
  const selected = command.shard ? configOfShard(whole, command.shard) : whole
  if (command.name === 'run' && !command.once) {
    const { exportZones } = await import('./run.ts')
    return exportZones(selected, context)
  }
  if (command.name === 'config check')
    return (await import('./config-check.ts')).checkConfig(selected, command, context)
  if (command.name === 'status') return (await import('./status.ts')).status(selected, command, context)
  const { zonesOf } = await import('./open-runtime.ts')
  const config = { ...selected, ...(await zonesOf(selected, env, signal)) }
  switch (command.name) {
    case 'run':
      return (await import('./run.ts')).exportOnce(config, context)
    case 'backfill':
      return (await import('./backfill.ts')).runBackfill(config, command, context)
    case 'verify':
      return (await import('./verify.ts')).runVerify(config, command, context)
  }
}
