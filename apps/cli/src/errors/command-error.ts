/** The exit codes of design §8. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  credentials: 3,
  refused: 4,
  platform: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command cannot do what was asked. Its message is all that the user sees: one sentence, or a few lines. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: ExitCode

  /**
   * @param message what is wrong, where, and what would be right; without a credential
   * @param exitCode 1 where absent: failed here
   */
  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** What was typed cannot be understood, or cannot be done. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super(message, exitCodes.usage)
  }
}

/** The user ended the command. Exit code 130, without a word. */
export class Interrupted extends CommandError {
  override readonly name = 'Interrupted'

  constructor() {
    super('Interrupted', exitCodes.interrupted)
  }
}

/** Whoever reads the output has had enough (`| head`). Exit code 0, without a word. */
export class OutputClosed extends CommandError {
  override readonly name = 'OutputClosed'

  constructor() {
    super('The output was closed', exitCodes.done)
  }
}

/** The request was printed and is not to be sent (`--dry-run`). Exit code 0, without a word. */
export class NotSent extends CommandError {
  override readonly name = 'NotSent'

  constructor() {
    super('Nothing is sent', exitCodes.done)
  }
}
