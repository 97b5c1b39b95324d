import { basename } from 'node:path'
import type { Exported } from '../support/oracle.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { startPostgresProxy } from '../support/postgres-proxy.ts'
import type { SinkUnderTest } from './campaign.ts'

/**
 * A PostgreSQL sink whose connection is cut at every fifth COMMIT, alternately after and before the server receives the COMMIT.
 */
export async function postgres(): Promise<SinkUnderTest> {
  const server = await startPostgres()
  const proxy = await startPostgresProxy(server.port)
  proxy.cutEvery(5)
  const urls = new Map<string, string>()
  return {
    replacesNul: true,
    async open(folder) {
      const url = await server.database(nameOf(folder))
      urls.set(folder, url)
      return {
        config: { type: 'postgres', url: { env: 'POSTGRES_URL' } },
        env: { POSTGRES_URL: url.replace(`:${server.port}/`, `:${proxy.port}/`) },
      }
    },
    readBack: (folder, zone) => readBack(server, urls.get(folder) ?? '', zone),
    async close(folder) {
      await server.query(server.url, `drop database "${nameOf(folder)}" with (force)`)
    },
    async stop() {
      await proxy.close()
      await server.stop()
    },
  }
}

const nameOf = (folder: string) => basename(folder).toLowerCase()

/** The rows from PostgreSQL, with the field names of version 2. */
export async function readBack(server: Postgres, url: string, zone: string): Promise<Exported[]> {
  const [table] = await server.query(url, "select to_regclass('cdn_log_segments') as name")
  if (table?.['name'] === null) return [] // killed before the table was created
  const segments = await server.query(url, 'select * from cdn_log_segments where zone = $1 order by id', [zone])
  const rows = await server.query(url, 'select segment, to_jsonb(r) as row from cdn_logs r order by segment, line')
  const bySegment = Map.groupBy(rows, ({ segment }) => String(segment))
  const segmentsRead: Exported[] = []
  for (const { id, window_from, window_to, revision } of segments) {
    const lines = (bySegment.get(String(id)) ?? []).map(({ row }) => JSON.stringify(toFields(Object(row))))
    segmentsRead.push({ zone, from: Number(window_from), to: Number(window_to), revision: Number(revision), lines })
  }
  return segmentsRead
}

type Fields = Record<string, unknown>

function toFields({ segment: _, line: __, extra, source, ...row }: Fields): Fields {
  const fields: Fields = { ...Object(extra) }
  for (const [name, value] of Object.entries(row)) {
    fields[name.replace(/_(.)/g, (_whole, letter: string) => letter.toUpperCase())] = value
  }
  return { ...fields, timestamp: new Date(String(row['timestamp'])).toISOString(), source }
}
