import { type ManagementClient, paginate } from '@cdn/api'
import type { Operation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import type { CommandContext } from '../program/command.ts'
import { isPaged } from './schema.ts'
import { type OperationValues, type RequestTarget, send } from './send.ts'

/**
 * Reads the items of all pages of a list.
 *
 * @param timeoutMs maximum time of one page in ms, with all attempts
 * @throws IncompleteListError; the errors of `send`
 */
export function readPages(
  context: CommandContext,
  operation: RequestTarget,
  { query, ...values }: OperationValues,
  timeoutMs?: number,
): AsyncIterable<object> {
  const GET = (_: string, { params }: { params: Pick<OperationValues, 'query'> }) =>
    send(context, operation, { ...values, query: params.query }, 'json', timeoutMs)
  // `paginate` calls only this method of a client, and the path only appears in its messages.
  const client = { GET } as unknown as ManagementClient
  return paginate(client, operation.path as '/pullzone', { query, signal: context.signal })
}

/** The items of a list, or of one page of it; undefined if a response violates the contract. */
export function itemsIn(data: unknown): readonly object[] | undefined {
  const items = Array.isArray(data) ? data : toRecord(data)['Items']
  return Array.isArray(items) ? items : undefined
}

/** Reads all items of a list that needs no parameter; `search` selects by a part of the name if the list supports it. */
export async function readList(context: CommandContext, list: Operation, search: string): Promise<readonly unknown[]> {
  const query = list.parameters.some((known) => known.in === 'query' && known.name === 'search') ? { search } : {}
  const values = { path: {}, query, headers: {} }
  if (!isPaged(list)) return itemsIn((await send(context, list, values, 'json')).data) ?? []
  const items: object[] = []
  for await (const item of readPages(context, list, values)) items.push(item)
  return items
}
