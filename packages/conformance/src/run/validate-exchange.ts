import { contracts, type Operation } from '@cdn/api/contract'
import { matchesStatus, type ReceivedResponse } from './validate-response.ts'

export { carriesCode, validateBody, validateResponse } from './validate-response.ts'

/**
 * Returns the requirements about server errors that an invalid 500 response breaks. No check can provoke a server error,
 * so these requirements are verified only when a server error happens.
 *
 * @returns the ids of the operation's requirement `500` and of the requirement about the error code of that status
 */
export function unprovokedBy(
  { interface: name, name: operation, responses }: Operation,
  { status }: ReceivedResponse,
): string[] {
  if (status !== 500) return []
  const code = responses.find((response) => response.status === '500')?.errorCode
  const ids = [`${name}.${operation}.500`, ...(code ? [`${name}.errors.${code.replaceAll('_', '-')}`] : [])]
  return ids.filter((id) => contracts[name].requirements.some((requirement) => requirement.id === id))
}

/** Whether the full contract lists the status. */
export function isListedStatus(operation: Operation, status: number): boolean {
  return operation.responses.some((response) => matchesStatus(response.status, status))
}
