import type { Middleware } from 'openapi-fetch'

/** The parameter of a middleware, without the request. */
export type AboutCall = Omit<Parameters<NonNullable<Middleware['onRequest']>>[0], 'request'>

/**
 * Sends a request through middlewares, as openapi-fetch does: each may replace or answer the request on its way out, and replace the
 * response or the error on its way back. A response from `onRequest` is returned at once, without `onResponse`.
 */
export async function throughMiddlewares(
  middlewares: readonly Middleware[],
  request: Request,
  about: AboutCall,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  let sent = request
  for (const { onRequest } of middlewares) {
    const result = await onRequest?.({ ...about, request: sent })
    if (result instanceof Response) return result
    if (result) sent = result
  }
  const back = middlewares.toReversed()
  let response: Response
  try {
    response = await send(sent)
  } catch (cause) {
    response = await recover(back, cause, { ...about, request: sent })
  }
  for (const { onResponse } of back) response = (await onResponse?.({ ...about, request: sent, response })) ?? response
  return response
}

/** @throws the error, which middlewares may have replaced, unless one turns it into a response */
async function recover(
  middlewares: readonly Middleware[],
  cause: unknown,
  about: AboutCall & { request: Request },
): Promise<Response> {
  let error = cause
  for (const { onError } of middlewares) {
    const result = await onError?.({ ...about, error })
    if (result instanceof Response) return result
    if (result) error = result
  }
  throw error
}
