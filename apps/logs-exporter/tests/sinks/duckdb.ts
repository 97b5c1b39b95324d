import { DuckDBInstance } from '@duckdb/node-api'

/**
 * Runs a query in a new DuckDB. Its time zone is not UTC, because results must not depend on the time zone. 64-bit integers become
 * texts.
 */
export async function duckdb(query: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("set timezone = 'America/New_York'")
    return (await connection.runAndReadAll(query)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
