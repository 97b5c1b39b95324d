import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { hourMs } from '@cdn/kit/time'
import { expect } from 'vitest'
import { startPostgres } from '../../../apps/logs-exporter/tests/support/postgres.ts'
import { startS3 } from '../../../apps/logs-exporter/tests/support/s3-server.ts'
import { run, start } from './pack.ts'

interface Destination {
  /** The setting `sink`. */
  readonly sink: object
  readonly env?: NodeJS.ProcessEnv
  readonly deliver?: readonly object[]
}

/** Real servers for each sink. */
async function startServers() {
  const s3 = await startS3()
  const postgres = await startPostgres()
  let received = 0
  const collector = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    received += gunzipSync(Buffer.concat(pieces)).length
    response.end()
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const address = collector.address()
  const { endpoint, bucket, region, credentials } = s3
  return {
    s3: { type: 's3', endpoint, bucket, region },
    s3Env: { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
    database: postgres.database,
    otlp: { type: 'otlp', endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` },
    /** Size of the records that the collector received. */
    received: () => received,
    async close() {
      collector.close()
      await Promise.all([s3.stop(), postgres.stop()])
    },
  }
}

/** The formats of a segment. The first two run in the short form of the test. */
const formats = [
  { format: 'ndjson', compression: 'zstd' },
  { format: 'parquet' },
  { format: 'ndjson', compression: 'gzip' },
  { format: 'ndjson', compression: 'none' },
]

/**
 * Exports the same hour to every sink in every format, with every command of the exporter.
 *
 * @param program path of the installed program
 * @param platform the logging interface, a zone of it and the key
 * @param isShort whether to use two formats, and not to repeat commands for each sink
 * @param parent a folder for what is exported
 * @returns what ran, for the log
 */
export async function runExporterCases(
  program: string,
  platform: { loggingUrl: string; zone: string; accessKey: string },
  { nodes, isShort, parent }: { nodes: readonly string[]; isShort: boolean; parent: string },
): Promise<string> {
  const servers = await startServers()
  const used = isShort ? formats.slice(0, 2) : formats
  const commands = new Set<string>()
  let count = 0
  try {
    for (const [index, node] of nodes.entries()) {
      const folder = join(parent, `exports-${index}`)
      mkdirSync(folder)
      const destinations: Destination[] = [
        ...used.map((format, n) => ({
          sink: { type: 'files', path: join(folder, `logs-${n}`), ...format },
        })),
        ...used
          .toReversed()
          .slice(0, isShort ? 1 : undefined)
          .map((format, n) => ({
            sink: { ...servers.s3, prefix: `node-${index}-${n}`, ...format },
            env: servers.s3Env,
          })),
        {
          sink: { type: 'postgres', url: { env: 'DATABASE' } },
          env: { DATABASE: await servers.database(`node${index}`) },
        },
        { sink: { type: 'files', path: join(folder, 'logs-otlp') }, deliver: [servers.otlp] },
        { sink: { type: 'files', path: join(folder, 'logs-stdout') }, deliver: [{ type: 'stdout' }] },
      ]
      for (const [n, { sink, deliver = [], env }] of destinations.entries()) {
        const config = join(folder, `${n}.yaml`)
        const { loggingUrl, zone, accessKey } = platform
        const settings = {
          loggingUrl,
          zones: [zone],
          window: '1h',
          ledger: join(folder, `state-${n}`),
          sink,
          deliver,
          listen: '127.0.0.1:0',
        }
        writeFileSync(config, JSON.stringify(settings))
        const options = { node, env: { ...env, CDN_ACCESS_KEY: accessKey } }
        const call = async (command: string, ...more: string[]) => {
          count++
          commands.add(command)
          const ended = await run(program, [...command.split(' '), '--config', config, ...more], options)
          const { code, err } = ended
          // No warning of Node, and no stack trace: the log consists of JSON lines.
          const noise = /Warning: |^ +at /m.test(err) ? err : ''
          expect({ sink, command, code, noise }, err).toEqual({ sink, command, code: 0, noise: '' })
          return ended
        }
        const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs
        const range = ['--from', new Date(end - hourMs).toISOString(), '--to', new Date(end).toISOString()]
        const isFull = !isShort || n === 0
        if (isFull) await call('config check')
        const before = servers.received()
        const { out } = await call('backfill', ...range)
        if (deliver.includes(servers.otlp)) expect(servers.received()).toBeGreaterThan(before)
        if (n === destinations.length - 1)
          expect(
            out
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line)).length,
          ).toBeGreaterThan(10)
        expect((await call('verify', ...range)).out).toContain('No difference')
        if (!isFull) continue
        expect((await call('status')).out).toContain(zone)
        count++
        commands.add('run')
        const daemon = await start(program, ['run', '--config', config], { ...options, stream: 'stderr' })
        expect(daemon.line).toContain('running')
        expect(await daemon.stop()).toBe(130)
      }
      for (const [option, text] of [
        ['--help', /^Usage: cdn-logs-exporter /],
        ['--version', /^\d+\.\d+\.\d+\n$/],
      ] as const) {
        count++
        commands.add(option)
        const { code, out } = await run(program, [option], { node })
        expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(text) })
        if (option === '--help')
          for (const command of ['run', 'backfill', 'verify', 'status', 'config'])
            expect(out).toContain(`\n  ${command} `)
      }
    }
  } finally {
    await servers.close()
  }
  return `cdn-logs-exporter: ${count} command lines, ${commands.size} commands, 5 sinks, ${used.length} formats of segments`
}
