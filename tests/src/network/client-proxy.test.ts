/** The recipe of packages/api/README.md: a client with the proxy of the package undici, on each supported Node. */
import { createServer, get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { oldestNode } from '../release/pack.ts'
import { runScript } from '../run-program.ts'

test.each([
  ['undici7', oldestNode('>=20.10')],
  ['undici7', oldestNode('>=22.15')],
  ['undici8', oldestNode('>=22.15')],
  ['undici8', process.execPath],
])('the proxy of %s works on %s', async (undici, node) => {
  const platform = createServer((request, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify([request.url, request.headers['accesskey']]))
  })
  const proxied: unknown[] = []
  // undici 7 opens a tunnel to each host, and undici 8 only to those with https.
  const proxy = createServer(({ url = '', headers }, response) => {
    proxied.push(new URL(url).host)
    get(url, { headers }, (answer) => answer.pipe(response))
  })
  proxy.on('connect', (request, socket) => {
    proxied.push(request.url)
    const { hostname, port } = new URL(`http://${request.url}`)
    const remote = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    remote.pipe(socket).pipe(remote)
    for (const each of [socket, remote]) each.on('error', () => each.destroy())
  })
  onTestFinished(() => {
    for (const server of [platform, proxy]) server.close().closeAllConnections()
  })
  const [platformUrl, proxyUrl] = [await listen(platform), await listen(proxy)]
  const folder = temporaryFolder(onTestFinished)
  const contents = `
    import { createManagementClient, unwrap } from '@cdn/api'
    import { fetch, ProxyAgent } from '${undici}'
    const dispatcher = new ProxyAgent('${proxyUrl}')
    const client = createManagementClient({ baseUrl: '${platformUrl}', accessKey: 'key-1', fetch, requestInitExt: { dispatcher } })
    console.log(JSON.stringify(await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 1 } } }))))
    await dispatcher.close()`
  const outfile = join(folder, 'main.mjs')
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
  const stdin = { contents, resolveDir: import.meta.dirname }
  await build({
    stdin,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile,
    banner,
    logLevel: 'error',
  })
  expect(await runScript(folder, [outfile], { node })).toEqual({ code: 0, out: '["/pullzone/1","key-1"]\n', err: '' })
  expect(proxied).toEqual([new URL(platformUrl).host])
})
