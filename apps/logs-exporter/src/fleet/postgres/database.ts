import pg from 'pg'

/** A connection to the database that a fleet shares. */
export interface Database {
  /**
   * Runs one statement, which is a transaction of its own.
   *
   * @throws pg's error; see {@link isPassing}
   */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Opens a pool of connections; the first one is made by the first query.
 *
 * @param url of PostgreSQL; never shown
 * @param options how many connections at most; how long to wait for a connection and for an answer, in milliseconds
 */
export function openDatabase(
  url: string,
  { connections, patienceMs }: { connections: number; patienceMs: number },
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    // The server gives up, too: a statement that nobody waits for any more must not take effect much later.
    statement_timeout: patienceMs,
    keepAlive: true,
    application_name: 'cdn-logs-exporter',
  })
  // A connection that breaks while idle is replaced by the next query, which says what is wrong if it cannot be.
  pool.on('error', () => {})
  return {
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    close: () => pool.end(),
  }
}

/** Codes of PostgreSQL (classes 08, 53, 57 and two of 40) and of sockets after which the same statement may succeed. */
const passing =
  /^(08...|53...|57P0[123]|57014|40001|40P01|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/** Whether a failed statement may be tried again: the database is away, restarting or busy; its effect may have happened. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return passing.test(error.code)
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  // pg's own, which carry no code.
  return /^(Connection terminated|Query read timeout|timeout exceeded|timeout expired)/.test(error.message)
}
