import { inspect } from 'node:util'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { startPostgres } from '../support/postgres.ts'
import { type Cut, startPostgresProxy } from '../support/postgres-proxy.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, toLines, windowAt } from './lines.ts'

const server = await startPostgres()
const urls = new Map<string, Promise<string>>()
afterAll(() => server.stop())

function database(name: string): Promise<string> {
  const url = urls.get(name) ?? server.database(name)
  urls.set(name, url)
  return url
}

async function open(name: string): Promise<Sink> {
  const url = await database(name)
  return openPostgresSink({ url: async () => url })
}

const first = windowAt(0)
const text = line(first, 0) + line(first, 1)

describe('postgres, any sink', () => sinkContract(open))

describe('postgres', () => {
  test('the migration may run again, and concurrently', async () => {
    const sinks = await Promise.all(Array.from({ length: 6 }, () => open('migration')))
    await Promise.all(sinks.map((sink, n) => publish(sink, windowAt(n * 400), [line(windowAt(n * 400), 0)])))
    await Promise.all(sinks.map((sink) => sink.check(signal)))
    expect(Object.keys(await contents(await open('migration')))).toHaveLength(6)
    await Promise.all(sinks.map((sink) => sink.close()))
  })

  test('a segment is committed synchronously, whatever the settings of the database', async () => {
    const url = await database('hasty')
    await server.query(
      url,
      `create table seen (setting text);
       create function note() returns trigger language plpgsql as
         $$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$`,
    )
    await server.query(url, 'alter database hasty set synchronous_commit = off')
    const sink = await open('hasty')
    await sink.check(signal)
    await server.query(url, 'create trigger note after insert on cdn_log_segments for each row execute function note()')
    await publish(sink, first, [text])
    expect(await server.query(url, 'select setting from seen')).toEqual([{ setting: 'on' }])
    await sink.close()
  })

  test('a new column of the contract is added', async () => {
    const url = await database('older')
    const sink = await open('older')
    await publish(sink, first, [text])
    await server.query(url, 'alter table cdn_logs drop column ja4_fingerprint')
    await (await open('older')).check(signal)
    await publish(sink, windowAt(1), [line(windowAt(1), 0, { ja4Fingerprint: 'x' })])
    expect(
      await server.query(url, 'select ja4_fingerprint as j from cdn_logs order by timestamp desc limit 1'),
    ).toEqual([{ j: 'x' }])
    await sink.close()
  })

  test.each<Cut>(['before copy', 'before commit', 'after commit'])(
    'the connection is cut %s: no row is lost or duplicated',
    async (when) => {
      const name = `cut ${when}`
      const proxy = await startPostgresProxy(server.port)
      const url = (await database(name)).replace(`:${server.port}/`, `:${proxy.port}/`)
      const sink = openPostgresSink({ url: async () => url })
      await sink.check(signal)
      const writer = await sink.begin({ ...first, revision: 0 }, signal)
      await writer.write(toLines(text))
      proxy.cut(when)
      expect(await writer.publish()).toMatchObject({ outcome: 'published', segment: { rows: 2 } })
      expect(proxy.cuts).toBe(1)
      expect(Object.values(await contents(sink))).toEqual([text])
      expect(await server.query(await database(name), 'select count(*)::int as n from cdn_logs')).toEqual([{ n: 2 }])
      await sink.close()
      await proxy.close()
    },
  )

  test('an unreachable server does not delay the end of the process', async () => {
    const proxy = await startPostgresProxy(server.port)
    const url = (await database('silent')).replace(`:${server.port}/`, `:${proxy.port}/`)
    const sink = openPostgresSink({ url: async () => url })
    await publish(sink, first, [text])
    const stop = new AbortController()
    const silence = proxy.silence()
    const listing = sink.segments({ zone: '4711', from: 0, to: 1 }, stop.signal)[Symbol.asyncIterator]().next()
    await silence
    stop.abort(new Error('interrupted'))
    await expect(listing).rejects.toThrow('interrupted')
    await sink.close()
    await proxy.close()
  })

  test('a start with nothing to migrate does not wait for readers', async () => {
    await publish(await open('reader'), first, [text])
    const reader = new pg.Client({ connectionString: await database('reader') })
    await reader.connect()
    await reader.query('begin; select from cdn_logs')
    const sink = await open('reader')
    await sink.check(signal)
    await publish(sink, windowAt(1), [line(windowAt(1), 0)])
    await reader.end()
    await sink.close()
  })

  test('a URL that cannot be read once is read again', async () => {
    const failures = [new Error('it is empty')]
    const url = () => {
      const failure = failures.shift()
      return failure ? Promise.reject(failure) : database('read_again')
    }
    const sink = openPostgresSink({ url })
    await expect(sink.check(signal)).rejects.toThrow('it is empty')
    await sink.check(signal)
    await sink.close()
  })

  test('the sink waits for a server that restarts', async () => {
    const sink = await open('restart')
    const writer = await sink.begin({ ...first, revision: 0 }, signal)
    await writer.write(toLines(text))
    await server.restart()
    expect(await writer.publish()).toMatchObject({ outcome: 'published' })
    expect(Object.values(await contents(sink))).toEqual([text])
    await sink.close()
  })

  test('a partition that a failover lost is created again', async () => {
    const url = await database('failover')
    const sink = await open('failover')
    await publish(sink, first, [text])
    await server.query(url, 'drop table cdn_logs_20260617; truncate cdn_log_segments')
    await expect(publish(sink, first, [text])).rejects.toMatchObject({ kind: 'transient' })
    expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
    await server.query(url, 'drop table cdn_logs, cdn_log_segments')
    await expect(publish(sink, first, [text])).rejects.toMatchObject({ kind: 'transient' })
    expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
    await sink.close()
  })

  test('changed, duplicated or deleted rows are damage; rows without a segment are reported', async () => {
    const url = await database('damage')
    const sink = await open('damage')
    const change = async (statement: string) => {
      await server.query(url, `begin; ${statement}; commit`)
      const outcome = await contents(sink).catch((error: { kind: string }) => error.kind)
      return outcome
    }
    const statements = [
      "update cdn_logs set path = '/other' where line = 0",
      'insert into cdn_logs select * from cdn_logs where line = 1',
      'insert into cdn_logs (segment, line, timestamp, pull_zone_id, status_code, bytes_sent, source) select segment, 9999, timestamp, pull_zone_id, status_code, bytes_sent, source from cdn_logs where line = 1',
      'delete from cdn_logs where line = 1',
      "update cdn_logs set timestamp = timestamp + interval '1 hour' where line = 1",
    ]
    for (const [n, statement] of statements.entries()) {
      await server.query(url, 'truncate cdn_logs; truncate cdn_log_segments').catch(() => {})
      await publish(sink, first, [text])
      expect(await change(statement), statements[n]).toBe('damaged')
    }
    await server.query(url, 'delete from cdn_log_segments')
    const skipped: string[] = []
    for await (const _ of sink.segments(first, signal, ({ message }) => skipped.push(message)));
    expect(skipped).toEqual(['Zone 4711 has 1 rows on 2026-06-17 in cdn_logs without a segment in cdn_log_segments.'])
    await sink.close()
  })

  test('more segments are read concurrently than there are connections', async () => {
    const sink = await open('side_by_side')
    const windows = Array.from({ length: 12 }, (_, n) => windowAt(n))
    for (const window of windows) await publish(sink, window, [line(window, 0)])
    const readers = []
    for await (const segment of sink.segments({ zone: '4711', from: 0, to: Number.POSITIVE_INFINITY }, signal))
      readers.push(sink.read(segment, signal)[Symbol.asyncIterator]())
    const pieces = await Promise.all(readers.map((reader) => reader.next()))
    expect(pieces.filter(({ done }) => !done)).toHaveLength(12)
    for (const reader of readers) await reader.return?.()
    await sink.close()
  })

  test.each([
    ['postgres://user:geh%20eim@127.0.0.1:1/x', 'transient', /ECONNREFUSED/],
    ['postgres://user:geheim#1@127.0.0.1/x', 'permanent', /expected postgres:/],
    ['wrong', 'transient', /refuses the user or the password/],
    ['missing', 'transient', /the database does not exist/],
    ['read-only', 'transient', /\(25006\): the server is read-only, as during a failover/],
  ])('%s is %s, in one sentence without a secret', async (given, kind, sentence) => {
    const known = (await database('typed')).replace(':password@', ':geheim@')
    const url =
      given === 'wrong'
        ? known.replace('postgres:geheim', 'unknown:geheim')
        : given === 'missing'
          ? `${server.url}x`
          : given === 'read-only'
            ? `${await database('read_only')}?options=-c%20default_transaction_read_only%3Don`
            : given
    const sink = openPostgresSink({ url: async () => url })
    const error = await sink.check(signal).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'SinkError', kind })
    expect(String(error)).toMatch(sentence)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/geh|password@/)
    await sink.close()
  })
})
