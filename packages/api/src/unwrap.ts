import type { CallResult } from './calls.ts'

/**
 * For those who prefer a throw to a value.
 *
 * @param result what a call gives, or the promise of it: `await unwrap(client.GET(...))`
 * @returns the data
 * @throws the error of the call
 */
export async function unwrap<Data>(result: CallResult<Data, Error> | Promise<CallResult<Data, Error>>): Promise<Data> {
  const { data, error } = await result
  if (error) throw error
  return data as Data
}
