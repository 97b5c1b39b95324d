import { DuckDBInstance } from '@duckdb/node-api'

/** Runs a query in a DuckDB of its own, far from UTC: a reader anywhere sees the same instants. 64-bit integers come as texts. */
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
