import { codeOf } from '@cdn/kit/system-error'
import pg from 'pg'
import { SinkError } from '../../errors.ts'
import { causeOf } from '../../store-causes.ts'
import { withRetries } from '../network.ts'

export type Database = ReturnType<typeof openDatabase>

const connections = 4
const connectMs = 10_000
/**
 * Statement time-out of the server, in ms. It limits how long a stalled worker blocks another writer of the same segment. The largest
 * segment must be copied within this time.
 */
const statementMs = 300_000
const idleMs = 30_000

/**
 * @param url called again after the server refused a connection, so that a password can change at runtime
 * @param onRefused called when the server refused a connection or a statement
 */
export function openDatabase(url: () => Promise<string>, onRefused: () => void) {
  let pool: Promise<pg.Pool> | undefined

  async function open(): Promise<pg.Pool> {
    const connectionString = await url()
    if (!/^postgres(ql)?:$/.test(URL.parse(connectionString)?.protocol ?? '')) {
      throw new SinkError(
        'permanent',
        'Invalid URL of the PostgreSQL sink: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as %XX.',
      )
    }
    const opened = new pg.Pool({
      connectionString,
      max: connections,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + connectMs, // in case the server cannot enforce its own time-out
      idle_in_transaction_session_timeout: idleMs,
      keepAlive: true,
      application_name: 'cdn-logs-exporter',
    })
    opened.on('error', () => {}) // an idle connection broke; the next one reports the error
    return opened
  }

  async function close(): Promise<void> {
    const closing = pool
    pool = undefined
    await closing?.then((opened) => opened.end()).catch(() => {})
  }

  async function once<T>(act: (client: pg.PoolClient) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      pool ??= open().catch((error) => {
        pool = undefined // the secret may be readable at the next attempt
        throw error
      })
      const client = await (await pool).connect()
      client.on('error', ignore) // the current statement fails as well
      let isHeld = true
      const release = (isBroken: boolean) => {
        if (isHeld) client.release(isBroken)
        isHeld = false
      }
      const stop = () => release(true)
      signal.addEventListener('abort', stop)
      try {
        signal.throwIfAborted() // the signal may have fired during the wait for a connection
        const result = await act(client)
        release(false)
        return result
      } catch (error) {
        release(true)
        throw error
      } finally {
        signal.removeEventListener('abort', stop)
        client.off('error', ignore)
      }
    } catch (error) {
      const sinkError = toSinkError(error)
      // The password may have changed, or the address may belong to another server now.
      if (error instanceof pg.DatabaseError || (sinkError instanceof SinkError && sinkError.kind === 'permanent')) {
        onRefused()
        void close()
      }
      throw sinkError
    }
  }

  /**
   * Runs `act` with a connection. Closes the connection if `act` fails, so that the server rolls back. Repeats `act` after
   * transient errors, so it must be idempotent.
   *
   * @param signal closes the connection when it fires, so that a silently dropped connection does not delay the end
   * @throws SinkError. Its message contains no URL, no password and no rows
   */
  const use = <T>(act: (client: pg.PoolClient) => Promise<T>, signal: AbortSignal): Promise<T> =>
    withRetries(signal, () => once(act, signal))
  return {
    close,
    use,
    /** Runs one query. Otherwise like `use`. */
    query: <Row extends pg.QueryResultRow>(text: string, values: unknown[], signal: AbortSignal): Promise<Row[]> =>
      use(async (client) => (await client.query<Row>(text, values)).rows, signal),
  }
}

const ignore = () => {}

/** Codes of sockets, their streams and TLS. */
const network = /^(E(?!RR_)[A-Z_]+|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED))$/
/** Messages of pg's errors without a code that may pass by themselves. */
const passing =
  /^(Connection (terminated|ended)|Client (was closed|has encountered)|Query read timeout|timeout e|The server does not support SSL)/

/**
 * Turns errors of the database and its connection into SinkErrors. Their sentences replace the server's messages, which name users,
 * databases and tables. Any other error is a bug and is returned unchanged.
 */
function toSinkError(error: unknown): unknown {
  if (error instanceof SinkError || !(error instanceof Error)) return error
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = codeOf(first)
  if (error instanceof pg.DatabaseError && code) {
    const { why = 'it refuses a statement of the exporter' } = causeOf('postgres', code) ?? {}
    return new SinkError('transient', `PostgreSQL cannot be used (${code}): ${why}.`)
  }
  if (code && /CERT|SSL|TLS|UNABLE_TO/.test(code))
    return new SinkError('transient', `PostgreSQL cannot be used (${code}): its certificate is not trusted.`)
  if (code ? network.test(code) : passing.test(error.message))
    return new SinkError('transient', `PostgreSQL cannot be reached (${code ?? reasonOf(error.message)}).`)
  if (/^SASL/.test(error.message))
    return new SinkError('permanent', 'PostgreSQL cannot be used: its URL lacks a password.')
  return error
}

/** Replaces a message of pg (`passing`), which may name the server. */
function reasonOf(message: string): string {
  return /SSL/.test(message) ? 'its URL requires TLS, which the server does not support' : 'the connection ended'
}
