import { LoggingError } from '@cdn/api'
import { ConfigurationError } from '../config/configuration-error.ts'
import { readConfig } from '../config/read-config.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { exitCodes } from './exit-codes.ts'
import { onInterruption } from './interruption.ts'
import { createLog, describe } from './log.ts'
import { type Command, parseCommand, usage } from './options.ts'
import type { Terminal } from './progress.ts'

/** Where a command reads its variables from and writes to. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly out: { write(text: string): unknown }
  readonly err: Terminal
}

/**
 * Does what the command line says.
 *
 * @param args without the names of the runtime and the script
 * @returns the exit code (design §7); what went wrong stands on `err` in one sentence
 */
export async function main(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const interruption = onInterruption()
  try {
    const command = parseCommand(args)
    if (command.name === 'help') {
      surroundings.out.write(usage)
      return exitCodes.done
    }
    return await perform(command, surroundings, interruption.signal)
  } catch (error) {
    if (interruption.signal.aborted) return exitCodes.interrupted
    for (const line of describe(error).message.split('\n')) surroundings.err.write(`cdn-logs-exporter: ${line}\n`)
    return exitCodeOf(error)
  } finally {
    interruption.release()
  }
}

/** Commands are loaded when they are called: what only one of them needs costs the others nothing. */
async function perform(
  command: Exclude<Command, { name: 'help' }>,
  { env, out, err }: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  const config = await readConfig(command.config, env)
  switch (command.name) {
    case 'run': {
      const { run } = await import('./run.ts')
      return run(config, { env, log: createLog(), signal })
    }
    case 'backfill': {
      const { backfill } = await import('./backfill.ts')
      return backfill(config, { ...command, env, log: createLog(), out, err, signal })
    }
    case 'verify': {
      const { verify } = await import('./verify.ts')
      return verify(config, { ...command, env, out, signal })
    }
    case 'status': {
      const { status } = await import('./status.ts')
      return status(config, command.json, env, out)
    }
    case 'config check': {
      const { checkConfig } = await import('./config-check.ts')
      return checkConfig(config, command.config, env, out, signal)
    }
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCodes.configuration
  if (error instanceof SinkError && error.kind === 'permanent') return exitCodes.configuration
  if (error instanceof LoggingError && [401, 403].includes(error.status)) return exitCodes.refused
  return exitCodes.failed
}
