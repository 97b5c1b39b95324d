import { request as ask, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'

/** A server on loopback. */
export interface RunningServer {
  readonly url: string
  readonly server: Server
}

/** Starts a server on a free port. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RunningServer> {
  const server = createServer(answer)
  return { server, url: await listen(server) }
}

/** Closes a server and all its connections. */
export function close({ server }: RunningServer): Promise<unknown> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}

/**
 * Creates a request handler that forwards paths to other servers, so that a browser needs only one origin. It also serves files. On
 * the paths `cut`, `hang`, `redirect` and `busy/ID`, it misbehaves.
 *
 * @param targets base URL of the server for each first segment of a path, such as `management`
 * @param files type and content of each file, by path
 * @param foreign target of a redirect
 */
export function createOddHandler(
  targets: Readonly<Record<string, string>>,
  files: Readonly<Record<string, readonly [type: string, content: string]>>,
  foreign: string,
) {
  const busy = new Set<string>()
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = String(request.url)
    const [, step, second = ''] = url.split('/')
    const first = assertDefined(step)
    const file = files[url]
    const target = targets[first]
    if (file) response.setHeader('content-type', file[0]).end(file[1])
    else if (target) forward(request, response, target + url.slice(first.length + 1))
    else if (first === 'redirect') response.writeHead(307, { location: foreign }).end()
    else if (first === 'cut') {
      response.writeHead(200, { 'content-length': '1000' }).write('{"Id":')
      setTimeout(() => response.destroy(), 20)
    } else if (first === 'busy' && !busy.has(second)) {
      busy.add(second)
      response.writeHead(503).end()
    } else if (first !== 'hang') response.end('{"Id":9007199254740993,"Name":null}')
  }
}

function forward(request: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers } = request
  const onward = ask(url, { method, headers: { ...headers, host: new URL(url).host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
