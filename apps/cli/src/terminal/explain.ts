import type { ApiError, TransportError } from '@cdn/api'
import { innermostCause, messageOf } from '@cdn/kit/error-message'
import { networkReason } from '@cdn/kit/network-reason'
import { CommandError, cliExitCodes, type ExitCode, isNamed } from './command-error.ts'

interface Explanation {
  /** May contain control characters from the platform. Empty for a silent end. */
  readonly text: string
  readonly exitCode: ExitCode
}

/**
 * Turns an exception of a command into a message and an exit code. An error of the platform keeps the platform's message.
 *
 * @param lastHost host of the latest request
 */
export async function explain(error: unknown, lastHost: string | undefined): Promise<Explanation> {
  const { failed } = cliExitCodes
  if (error instanceof CommandError) return { text: error.message, exitCode: error.exitCode }
  if (isNamed(error, 'TransportError')) return explainTransport(error, lastHost)
  if (isNamed(error, 'ApiError')) return explainResponse(error)
  if (isNamed(error, 'IncompleteListError')) return { text: error.message, exitCode: failed }
  if (isNamed(error, 'IncompleteLogsError')) return { text: `${error.message}.`, exitCode: failed }
  return { text: `Internal error (a bug in this program): ${error}`, exitCode: failed }
}

function explainTransport({ kind, message, cause }: TransportError, host = 'the platform'): Explanation {
  const code = networkReason(cause) ?? (cause instanceof Error ? messageOf(innermostCause(cause)) : undefined)
  const text =
    code === 'bad port'
      ? `Nothing was sent to ${host}: HTTP must not use this port, which belongs to another protocol. Check the address.`
      : kind === 'network'
        ? `${host} does not answer${code ? ` (${code})` : ''}. Check the address and the network.`
        : `${message}.`
  return { text, exitCode: kind === 'credential' ? cliExitCodes.credentials : cliExitCodes.failed }
}

async function explainResponse({ status, message, requestId, operation, body }: ApiError): Promise<Explanation> {
  const exitCode = exitCodeOf(status)
  const lines = [message]
  if (body === undefined) lines.push(...(await describeStatus(operation, status)))
  // The platform also answers 403 for the logs of a zone that does not exist (§7 leaves this open).
  const zone = status === 403 && /pullZoneId/.test(operation) ? ', or the account has no such pull zone' : ''
  if (exitCode === cliExitCodes.credentials)
    lines.push(
      `The credential is missing, wrong, or not allowed to do this${zone}: cdn auth status shows which one was used.`,
    )
  if (requestId !== undefined) lines.push(`Request id: ${requestId}`)
  return { text: lines.join('\n'), exitCode }
}

/**
 * A hint about a response without a body. If the contract states an error code for the status, a response without the code may come
 * from another server or a proxy. Otherwise, the message already has the contract's description.
 */
async function describeStatus(operation: string, status: number): Promise<string[]> {
  const { operations } = await import('@cdn/api/contract')
  const known = operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === operation)
  const code = known?.responses.find((entry) => entry.status === String(status))?.errorCode
  if (code === undefined) return []
  return [`The response lacks the code ${code}, so it may come from another server: cdn auth status shows the address.`]
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return cliExitCodes.credentials
  if (status >= 400 && status < 500) return cliExitCodes.refused
  return status >= 500 ? cliExitCodes.platform : cliExitCodes.failed
}
