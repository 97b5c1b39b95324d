import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SinkError } from '../sink-error.ts'

export interface Database {
  /**
   * Runs `act` with a connection, which is closed where it fails: the server rolls back what was open. Runs it again where
   * that may help; whatever is done here comes to the same when it is done twice.
   *
   * @param signal closes the connection: a server that is gone without a word answers nothing for hours
   * @throws SinkError in one sentence without URL, password or rows
   */
  use<T>(act: (client: pg.PoolClient) => Promise<T>, signal: AbortSignal): Promise<T>
  close(): Promise<void>
}

/** How many connections a sink has at most. */
const connections = 4
const patienceMs = 10_000
/**
 * A worker that is stopped while it copies holds a lock on its zone: the server ends it after this time. The largest segment
 * must be copied in it.
 */
const statementMs = 300_000
const idleMs = 30_000
/** Attempts; beyond them the exporter waits, and begins the window anew. */
const attempts = 4
const firstPauseMs = 125

/** @param url asked for anew when the server has refused it, so that a password may be replaced while it runs */
export function openDatabase(url: () => Promise<string>): Database {
  let pool: Promise<pg.Pool> | undefined

  async function open(): Promise<pg.Pool> {
    const connectionString = await url()
    if (!/^postgres(ql)?:$/.test(URL.parse(connectionString)?.protocol ?? '')) {
      throw new SinkError(
        'permanent',
        'The URL of the PostgreSQL sink is none; it must read postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as %XX.',
      )
    }
    const opened = new pg.Pool({
      connectionString,
      max: connections,
      connectionTimeoutMillis: patienceMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + patienceMs, // the server may be gone that should end it
      idle_in_transaction_session_timeout: idleMs,
      keepAlive: true,
      application_name: 'cdn-logs-exporter',
    })
    opened.on('error', () => {}) // an idle connection broke; the next one tells what is wrong
    return opened
  }

  async function close(): Promise<void> {
    const closing = pool
    pool = undefined
    await closing?.then((opened) => opened.end()).catch(() => {})
  }

  async function once<T>(act: (client: pg.PoolClient) => Promise<T>, signal: AbortSignal): Promise<T> {
    pool ??= open()
    try {
      const client = await (await pool).connect()
      client.on('error', ignore) // the statement under way fails as well
      let isHeld = true
      const release = (isBroken: boolean) => {
        if (isHeld) client.release(isBroken)
        isHeld = false
      }
      const stop = () => release(true)
      signal.addEventListener('abort', stop)
      try {
        signal.throwIfAborted() // while it was waited for a connection
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
      const told = toSinkError(error)
      if (told instanceof SinkError && told.kind === 'permanent') void close()
      throw told
    }
  }

  return {
    close,
    async use(act, signal) {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted()
        try {
          return await once(act, signal)
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof SinkError) || error.kind !== 'transient' || attempt === attempts) throw error
          await sleep(firstPauseMs * 2 ** attempt, undefined, { signal })
        }
      }
    },
  }
}

const ignore = () => {}

/** Classes of SQLSTATE, and what is to be done. Their messages name users, databases and tables, but no values. */
const classes: Readonly<Record<string, string>> = {
  '28': 'it refuses user or password',
  '3D': 'there is no such database',
  '42': 'the user may not do that, or a table of that name is not the exporter’s',
}

/** Codes after which the same may succeed: connections, resources, operators, serialization; sockets and their streams. */
const passing =
  /^(08...|53...|57...|58...|40...|55P03|25P0[34]|E(?!RR_)[A-Z_]+|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED))$/
/** Errors of pg itself, which have no code. */
const passingMessages =
  /^(Connection (terminated|ended)|Client (was closed|has encountered)|Query read timeout|timeout e)/
const refusals = /^(SASL|The server does not support SSL)/

/** Errors of the database and its connection in one sentence; any other is a defect of ours and stays as it is. */
function toSinkError(error: unknown): unknown {
  if (error instanceof SinkError || !(error instanceof Error)) return error
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
  if (code ? passing.test(code) : passingMessages.test(error.message)) {
    return new SinkError('transient', `PostgreSQL cannot be used now (${code ?? 'the connection ended'}).`)
  }
  if (code && (error instanceof pg.DatabaseError || /CERT|SSL|TLS|UNABLE_TO/.test(code))) {
    const why = classes[code.slice(0, 2)] ?? 'it refuses what the exporter does, or its certificate is not trusted'
    return new SinkError('permanent', `PostgreSQL cannot be used (${code}): ${why}.`)
  }
  if (refusals.test(error.message)) {
    return new SinkError(
      'permanent',
      'PostgreSQL cannot be used: its URL lacks a password, or asks for TLS that the server has not.',
    )
  }
  return error
}
