import type { CallError, TransportError } from '@cdn/api'
import { cleanLines } from '../output/text.ts'
import { CommandError, type ExitCode, exitCodes } from './command-error.ts'

/** What the user is told, and the exit code. */
export interface Explanation {
  /** Without control characters; empty where there is nothing to say. */
  readonly text: string
  readonly exitCode: ExitCode
}

/**
 * Turns whatever a command threw into a sentence and an exit code (design §8). Errors of the platform are told in its own
 * words. (Errors of `@cdn/api` are known by their names: the command may have come from another copy of it.)
 *
 * @param lastHost the host that was called last
 */
export async function explain(error: unknown, lastHost: string | undefined): Promise<Explanation> {
  if (error instanceof CommandError) {
    const isSilent = error.exitCode === exitCodes.done || error.exitCode === exitCodes.interrupted
    return { text: isSilent ? '' : cleanLines(error.message), exitCode: error.exitCode }
  }
  if (!(error instanceof Error)) return ours(String(error))
  if (error.name === 'TransportError') return explainTransport(error as TransportError, lastHost)
  if (error.name === 'ManagementError' || error.name === 'LoggingError')
    return explainAnswer(error as CallError, lastHost)
  if (error.name === 'IncompleteLogsError') return { text: cleanLines(`${error.message}.`), exitCode: exitCodes.failed }
  return ours(`${error.name}: ${error.message}`)
}

function ours(what: string): Explanation {
  return { text: cleanLines(`Internal error, a fault of this program: ${what}`), exitCode: exitCodes.failed }
}

function explainTransport({ kind, message, cause }: TransportError, host = 'the platform'): Explanation {
  const code = codeOf(cause)
  const text =
    kind === 'network'
      ? `${host} gives no answer${code ? ` (${code})` : ''}. Is the address right, and is there a network?`
      : `${host}: ${message}`
  return { text: cleanLines(text), exitCode: kind === 'credential' ? exitCodes.credentials : exitCodes.failed }
}

/** What the system calls the failure: `ENOTFOUND`, `ECONNREFUSED`; else what the runtime says of it. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' ? code : (codeOf(cause.cause) ?? cause.message)
}

async function explainAnswer(error: CallError, host = 'the platform'): Promise<Explanation> {
  const { status = 0, message, requestId, operation } = error
  const { reason, details = [] } = error as { reason?: string; details?: readonly string[] }
  const exitCode = exitCodeOf(status)
  // Answers often have no body; the contract knows what they mean.
  const stated = reason === undefined ? await statedMeaning(operation, status) : []
  const advice =
    exitCode === exitCodes.credentials
      ? [`The credential is missing, wrong, or not allowed to do this: cdn auth status tells which one was used.`]
      : []
  const name = requestId === undefined ? [] : [`Request id: ${requestId}`]
  const news = details.filter((detail) => !message.includes(detail))
  return { text: cleanLines([`${host}: ${message}`, ...stated, ...news, ...advice, ...name].join('\n')), exitCode }
}

/** What the contract says that an answer means. */
async function statedMeaning(operation: string, status: number): Promise<string[]> {
  const { operations } = await import('@cdn/api/contract')
  const known = operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === operation)
  const response = known?.responses.find((entry) => entry.status === String(status))
  return response ? [response.description] : []
}

/** The exit code of an answer that is no success. */
export function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.credentials
  if (status >= 400 && status < 500) return exitCodes.refused
  return status >= 500 ? exitCodes.platform : exitCodes.failed
}
