import { ApiError } from './errors/api-error.ts'

/**
 * Returns the data of a call, or throws its error. For callers that prefer exceptions.
 *
 * @param call result of a client method: `await unwrap(client.GET(...))`
 * @returns the data
 * @throws ApiError if the platform answered with an error; otherwise the error that the call rejected with
 */
export async function unwrap<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response, error)
  return data as Data // the data of a success; undefined only if `Data` permits it
}
