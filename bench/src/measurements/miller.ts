import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { lineAt } from '../client-logs-stub.ts'
import { digits, type Row } from '../row.ts'

/** Names of the columns of version 1. */
const names =
  'cacheStatus,statusCode,timestamp,bytesSent,pullZoneId,remoteIp,referer,url,edgeLocation,userAgent,requestId,countryCode'
/** The naive alternative to the exporter: it splits every line and creates an object per row. */
const naive = `
const { createInterface } = require('node:readline')
const names = ${JSON.stringify(names)}.split(',')
createInterface({ input: process.stdin }).on('line', (line) => {
  const fields = line.split('|')
  process.stdout.write(JSON.stringify(Object.fromEntries(names.map((name, n) => [name, fields[n]]))) + '\\n')
})`

/**
 * Compares the export of a day file with miller piped into zstd, on one core. If miller or zstd is not installed, the export is
 * compared with a naive script.
 *
 * @param ours lines per second of the exporter
 */
export async function compareWithMiller(ours: number, from: number, rows: number, core: string): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'miller-'))
  try {
    const file = join(folder, 'day.log')
    writeFileSync(file, Array.from({ length: rows }, (_, n) => lineAt(from + n)).join(''))
    const miller = `mlr --icsv --implicit-csv-header --ifs '|' --quote-original --ojsonl label ${names} ${file}`
    const seconds = timed(`${miller.replace(' --quote-original', '')} | zstd -q -3 -T1 > ${join(folder, 'day.zst')}`)
    const script = join(folder, 'naive.cjs')
    writeFileSync(script, naive)
    const plain = timed(`'${process.execPath}' ${script} < ${file} | cat > ${join(folder, 'day.ndjson')}`)
    const theirs = rows / (seconds ?? plain ?? Number.NaN)
    const what =
      seconds === undefined
        ? 'miller or zstd is not installed; a naive script, not compressed,'
        : 'miller piped into zstd -3'
    return {
      what: `exporter, v1 to NDJSON.zst, lines/s (${core})`,
      ours: digits(ours),
      peer: `${what} ${digits(theirs)}: ${digits(ours / theirs)} times`,
      bound: seconds === undefined ? 'informational' : 'at least 5 times',
      met: seconds === undefined || ours >= 5 * theirs,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the duration of a command line in seconds, on one core if `taskset` is installed; undefined if it fails. */
function timed(command: string): number | undefined {
  const core = spawnSync('taskset', ['--version']).status === 0 ? ['taskset', '-c', '0'] : []
  const [program, ...args] = [...core, 'bash', '-o', 'pipefail', '-c', command]
  const begun = performance.now()
  const { status } = spawnSync(defined(program), args, { stdio: 'ignore' })
  return status === 0 ? (performance.now() - begun) / 1000 : undefined
}
