import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineAt } from '../client-logs-stub.ts'
import { digits, type Row } from '../row.ts'

/** The columns of version 1, to name them. */
const names =
  'cacheStatus,statusCode,timestamp,bytesSent,pullZoneId,remoteIp,referer,url,edgeLocation,userAgent,requestId,countryCode'
/** What a program without an exporter would write: every line split, every row an object. */
const naive = `
const { createInterface } = require('node:readline')
const names = ${JSON.stringify(names)}.split(',')
createInterface({ input: process.stdin }).on('line', (line) => {
  const fields = line.split('|')
  process.stdout.write(JSON.stringify(Object.fromEntries(names.map((name, n) => [name, fields[n]]))) + '\\n')
})`

/**
 * Holds the reading of a day file against miller piped into zstd, on one core; where the machine lacks either, against a
 * naive script of a few lines.
 *
 * @param ours lines a second
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
      bound: seconds === undefined ? 'as it comes' : 'at least 5 times',
      met: seconds === undefined || ours >= 5 * theirs,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Seconds of a command line, on one core where that can be said; undefined where a part of it fails. */
function timed(command: string): number | undefined {
  const core = spawnSync('taskset', ['--version']).status === 0 ? ['taskset', '-c', '0'] : []
  const [program = '', ...args] = [...core, 'bash', '-o', 'pipefail', '-c', command]
  const begun = performance.now()
  const { status } = spawnSync(program, args, { stdio: 'ignore' })
  return status === 0 ? (performance.now() - begun) / 1000 : undefined
}
