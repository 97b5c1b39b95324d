import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import ts from 'typescript'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** Creates a request listener. It answers the first read of the pull zone with 503. */
const listener = (): RequestListener => {
  let isBusy = true
  return (request, response) => {
    if (request.url === '/pullzone/42' && isBusy) {
      isBusy = false
      response.writeHead(503).end()
    } else respond(request, response)
  }
}

const respond: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(String(request.url), 'http://localhost')
  if (request.headers['accesskey'] !== 'k' && request.headers.authorization !== 'Bearer t') {
    response.writeHead(401).end()
  } else if (pathname === '/pullzone/42/addAllowedReferrer') {
    response.writeHead(204).end()
  } else if (pathname === '/pullzone') {
    response.end('{"Items":[{"Id":42,"Name":"shop"}],"CurrentPage":1,"TotalItems":1,"HasMoreItems":false}')
  } else if (pathname === '/pullzone/42') {
    response.end('{"Id":42,"Name":"shop"}')
  } else if (pathname === '/v2/pullzones/7/logs') {
    response.writeHead(404).end('{"error":{"code":"logging_disabled"}}')
  } else if (pathname === '/v2/pullzones/42/logs') {
    const from = searchParams.get('from')
    const pagination = { offset: 0, limit: Number(searchParams.get('limit')), returned: 1, hasMore: false }
    const timestamp = new Date(Date.parse(from ?? '2026-11-20T00:00:00Z') + 5).toISOString()
    const query = { pullZoneId: 42, from, to: searchParams.get('to'), order: 'asc' }
    response.end(JSON.stringify({ data: [{ timestamp, cacheStatus: 'MISS' }], pagination, query }))
  } else {
    const today = new Date().setUTCHours(0, 0, 0, 0)
    response.end(`HIT|200|${today}|10|42|-|-|-|-|-|-|-\nbroken\nHIT|200|${today + 1}|32|42|-|-|-|-|-|-|-\n`)
  }
}

const readme = await readFile(join(folder, 'README.md'), 'utf8')
const examples = new Map(
  [...readme.matchAll(/<!-- ([\w-]+) -->\n```ts\n(.*?)```/gs)].map(([, name = '', code = '']) => [name, code]),
)

const results = `import { createLoggingClient, createManagementClient, unwrap } from '@cdn/api'
const client = createManagementClient()
const zone = await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 1 } } }))
const { data: library } = await client.GET('/videolibrary/{id}', { params: { path: { id: 1 } } })
const logs = createLoggingClient().GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
const page = await unwrap(logs)
`

test('the examples have no type errors, and an editor shows a result by its name', () => {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const host = ts.createCompilerHost({ ...options, noUnusedLocals: false })
  const files = new Map([...examples, ['results', results]].map(([name, code]) => [join(folder, `${name}.ts`), code]))
  const { readFile: read, fileExists } = host
  host.readFile = (file) => files.get(file) ?? read(file)
  host.fileExists = (file) => files.has(file) || fileExists(file)
  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host)
  const faults = [...files.keys()]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  expect(faults).toEqual([])

  const checker = program.getTypeChecker()
  const source = assertDefined(program.getSourceFile(join(folder, 'results.ts')))
  const shown = checker
    .getSymbolsInScope(source, ts.SymbolFlags.BlockScopedVariable)
    .filter(({ valueDeclaration }) => valueDeclaration?.getSourceFile() === source)
    .map((symbol) => [symbol.name, checker.typeToString(checker.getTypeOfSymbol(symbol))])
  expect(Object.fromEntries(shown)).toMatchObject({
    zone: 'PullZone',
    library: 'VideoLibrary | undefined',
    page: 'LogPage',
  })
})

test.each([
  ['get-zone', 'shop'],
  ['add-referrer', 'added'],
  ['list-zones', '42 shop'],
  ['count-failures', '1 failures in an hour'],
  ['copy-rows', '{"cacheStatus":"MISS"}'],
  ['sum-day', '42 bytes today'],
  ['wrappers', 'GET /pullzone/{id}: 503, once more\nshop'],
  ['handle-errors', 'logging is off'],
])('the example %s runs', async (name, output) => {
  const server = createServer(listener())
  const url = await listen(server)
  const env = {
    CDN_MANAGEMENT_URL: url,
    CDN_LOGGING_URL: url,
    ...(name === 'count-failures' || name === 'copy-rows' ? { CDN_BEARER_TOKEN: 't' } : { CDN_ACCESS_KEY: 'k' }),
  }
  try {
    const code = assertDefined(examples.get(name))
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      cwd: folder,
      env,
    })
    expect(stdout.trim().replace(/"timestamp":"[^"]+",/, '')).toBe(output)
  } finally {
    server.close()
  }
})
