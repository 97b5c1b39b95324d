import { httpUrl } from './http-url.ts'
import { proxyClosed } from './network-reason.ts'
import { decodePercent } from './percent.ts'

const variables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
/** Hosts that `useProxy` adds to `NO_PROXY`: requests to an emulator there use no proxy, as in Go programs. */
const loopback = ['localhost', '127.0.0.1', '::1', '[::1]']

/** The parts of `node:http` and `process` that some supported versions of Node lack. */
type NewerNode = {
  readonly setGlobalProxyFromEnv?: (env: NodeJS.ProcessEnv) => unknown
  readonly execve?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never
}

/**
 * Sends the requests of this process and its child processes through the proxy of `HTTPS_PROXY` and `HTTP_PROXY`, if one is set: requests
 * of `fetch`, and of `node:http` with an agent whose `proxyEnv` is the environment. Call it before the first request. Node 22 reads the
 * variables only at its start, so on Node 22 the function starts the program again in the same process. If the user has set
 * `NODE_USE_ENV_PROXY=1`, Node uses the proxy by itself, and the function changes nothing.
 *
 * If the proxy cannot be used, prints one sentence. The sentence has no URL, which may hold a password.
 *
 * @param program name of the program
 * @returns whether the program can start
 */
export function useProxy(program: string): boolean {
  const { env } = process
  const refuse = (sentence: string) => {
    process.stderr.write(`${program}: ${sentence}\n`)
    return false
  }
  const set = variables.filter((name) => env[name])
  if (set.length === 0 || env['NODE_USE_ENV_PROXY'] === '1') return true // set by the user, or by this function
  const invalid = set.find((name) => !isProxyUrl(env[name] ?? ''))
  if (invalid) return refuse(`Invalid URL in ${invalid}: expected http://HOST:PORT`)
  const { setGlobalProxyFromEnv }: NewerNode = process.getBuiltinModule('node:http')
  const { execve }: NewerNode = process
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  env['NODE_USE_ENV_PROXY'] = '1'
  const exceptions = env['no_proxy'] ? 'no_proxy' : 'NO_PROXY'
  // `*` exempts every host only if it is alone.
  if (env[exceptions]?.trim() !== '*')
    env[exceptions] = [...(env[exceptions] ? [env[exceptions]] : []), ...loopback].join(',')
  failOnClosedProxy()
  if (setGlobalProxyFromEnv) setGlobalProxyFromEnv(env)
  else if (execve && (major > 22 || minor >= 21))
    execve.call(process, process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], env)
  else return refuse(`Node ${process.versions.node} cannot use ${set[0]}; expected Node >=22.21`)
  return true
}

/**
 * Lets a request fail if the proxy closes the connection instead of answering CONNECT. Node's proxy agent mistakes this error for the loss
 * of an open connection, and connects again, some thousand times per second, even after the request has ended.
 */
function failOnClosedProxy(): void {
  process.getBuiltinModule('node:diagnostics_channel').subscribe('undici:client:connectError', (message) => {
    const { error } = message as { readonly error: { code?: unknown } } // as undici documents
    if (error.code === 'UND_ERR_SOCKET') error.code = proxyClosed
  })
}

function isProxyUrl(text: string): boolean {
  const url = httpUrl(text)
  return url !== undefined && decodePercent(`${url.username}${url.password}`) !== undefined
}
