import { type ManagementClient, paginate } from '@cdn/api'
import { UsageError } from '../terminal/command-error.ts'
import type { CommandContext } from '../terminal/context.ts'
import { type OperationValues, type Sendable, send } from './send.ts'

/**
 * Reads all pages of a list and prints their items as one list, as they arrive.
 *
 * @param timeoutMs maximum time of one page in ms, with all attempts
 * @throws UsageError if the request chooses a page; IncompleteListError; the errors of `send`
 */
export async function printPages(
  context: CommandContext,
  operation: Sendable,
  { query, ...values }: OperationValues,
  timeoutMs: number | undefined,
): Promise<void> {
  const chosen = ['page', 'perPage'].filter((name) => name in query)
  if (chosen.length > 0) throw new UsageError(`Give --paginate or ${chosen.join(' and ')}, not both.`)
  const GET = (_: string, { params }: { params: Pick<OperationValues, 'query'> }) =>
    send(context, operation, { ...values, query: params.query }, 'json', timeoutMs)
  // `paginate` calls only this method of a client, and the path only appears in its messages.
  const client = { GET } as unknown as ManagementClient
  const items = paginate(client, operation.path as '/pullzone', { query, signal: context.signal })
  await context.output.records(items, { columns: [], fields: [] })
}
