import type { ApiError, IncompleteListError, IncompleteLogsError, TransportError } from '@cdn/api'

/** The exit codes: stable, and listed in the help. */
export const cliExitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  credentials: 3,
  refused: 4,
  platform: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof cliExitCodes)[keyof typeof cliExitCodes]

/** Means that a command cannot continue. The user sees only the message: one sentence, or a few lines. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: ExitCode

  /** @param message what is wrong, where, and what would be right; without a credential */
  constructor(message: string, exitCode: ExitCode = cliExitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Means that the command line is invalid, or contradicts itself or the environment. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super(message, cliExitCodes.usage)
  }
}

/** Ends a command early without a message: after an interruption (130), a closed output (0), or a complete dry run (0). */
export class SilentEnd extends CommandError {
  override readonly name = 'SilentEnd'

  constructor(exitCode: typeof cliExitCodes.interrupted | typeof cliExitCodes.done) {
    super('', exitCode)
  }
}

interface ErrorsByName {
  readonly ApiError: ApiError
  readonly IncompleteListError: IncompleteListError
  readonly IncompleteLogsError: IncompleteLogsError
  readonly TransportError: TransportError
}

/**
 * Whether an exception is an error of `@cdn/api` with this name. It is recognized by name for two reasons: the command may use
 * another copy of the package, and loading the package takes time.
 */
export function isNamed<Name extends keyof ErrorsByName>(error: unknown, name: Name): error is ErrorsByName[Name] {
  return error instanceof Error && error.name === name
}
