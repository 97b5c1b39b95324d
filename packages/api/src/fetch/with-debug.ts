import { runtimeProcess } from '@cdn/kit/runtime'
import { addressOf } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/** Whether the environment asks for debug lines. Not every runtime has an environment. */
export function isDebugging(): boolean {
  return runtimeProcess()?.env?.['CDN_DEBUG'] === '1'
}

/** Prints one line per attempt to stderr. The line has no ids, query, headers or body, so it has no secrets. */
export function withDebug(): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    const { host } = new URL(addressOf(input))
    const start = performance.now()
    const print = (result: string | number) =>
      console.error(`${call.operation} at ${host}: ${result} after ${Math.round(performance.now() - start)} ms`)
    try {
      const response = await send(input, init)
      print(response.status)
      return response
    } catch (error) {
      print(error instanceof Error ? error.name : 'failed')
      throw error
    }
  })
}
