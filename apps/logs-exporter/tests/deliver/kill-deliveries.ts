/**
 * Kills a delivery (SIGKILL) again and again: before and after the receiver takes a piece, which is before and after the cursor moves,
 * and on standard output at random. The receiver also takes pieces and loses the response. Compares what the receiver has with the
 * segments: `node kill-deliveries.ts [http | bulk | otlp | stdout] [kills]` exits with 1 if a row is lost, or doubled beyond what
 * the receiver's protocol allows.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DeliveryConfig } from '../../src/config/config.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import { line, publish, windowAt } from '../sinks/lines.ts'
import { bundleOnce, memoryPlace } from '../support/worker-bundle.ts'
import { decode, toRow } from './otlp-decode.ts'
import { type Answer, difference, openServer, type Received } from './server.ts'
import type { DeliveryAssignment } from './worker.ts'

export type Protocol = 'http' | 'bulk' | 'otlp' | 'stdout'

export interface KillsResult {
  readonly kills: number
  /** Requests whose piece the receiver took before it broke the connection or answered 503. */
  readonly lostResponses: number
  readonly rows: number
  readonly missing: number
  /** Rows that the receiver has more than once. A receiver that knows keys drops a piece or row whose key it already has. */
  readonly doubled: number
  /** Maximum number of rows in a piece. */
  readonly pieceRows: number
}

const zone = '4711'
const bundled = bundleOnce(join(import.meta.dirname, 'worker.ts'))

/** Writes segments of one to three pieces. @returns their rows */
async function prepare(folder: string, segments: number): Promise<string[]> {
  const sink = await openSink({ type: 'files', path: `${folder}/logs`, format: 'ndjson', compression: 'zstd' }, {})
  const ledger = openLedger(`${folder}/state`)
  await ledger.keepDeliveries(['d'])
  const rows: string[] = []
  for (let n = 0; n < segments; n++) {
    const window = windowAt(n, zone)
    const path = `/${'x'.repeat(n % 20 === 0 ? 700_000 : 10)}`
    const lines = Array.from({ length: 4 }, (_, at) =>
      line(window, at, { path: `${path}${n}`, requestId: `${n}-${at}` }),
    )
    await publish(sink, window, [lines.join('')])
    await ledger.record({
      ...window,
      rows: 4,
      nextRevision: 1,
      checkedAt: window.to,
      recheckDue: undefined,
    })
    rows.push(...lines.map((each) => each.trimEnd()))
  }
  await ledger.close()
  return rows
}

function configOf(protocol: Protocol, url: string): DeliveryConfig {
  if (protocol === 'stdout') return { name: 'd', type: 'stdout' }
  if (protocol === 'otlp') return { name: 'd', type: 'otlp', endpoint: url, headers: {} }
  const common = { name: 'd', type: 'http', url, compression: 'zstd', headers: {} } as const
  return { ...common, format: protocol === 'bulk' ? 'bulk' : 'ndjson', key: { header: 'Idempotency-Key' } }
}

/** Runs a campaign. The last process is not killed, and sends the rest. */
export async function killDeliveries(protocol: Protocol, wanted: number): Promise<KillsResult> {
  const folder = await mkdtemp(join(memoryPlace, 'exporter-deliver-'))
  const kept = new Map<string, string[]>()
  let [kills, lostResponses, unkeyed, pieceRows] = [0, 0, 0, 0]
  let kill = () => {}
  const take = (key: string, rows: string[]) => {
    pieceRows = Math.max(pieceRows, rows.length)
    if (!kept.has(key)) kept.set(key, rows)
  }
  const takeRequest = ({ headers, body }: Received): Answer => {
    if (protocol === 'otlp')
      take(
        String(unkeyed++),
        decode(body).map((each) => String(toRow(each)['requestId'])),
      )
    const lines = protocol === 'otlp' ? [] : String(body).split('\n').filter(Boolean)
    if (protocol === 'http') take(String(headers['idempotency-key']), lines)
    if (protocol !== 'bulk') return { status: 200 }
    const items = []
    for (let n = 0; n < lines.length; n += 2) {
      const id = JSON.parse(lines[n] ?? '').create._id
      items.push({ create: { status: kept.has(id) ? 409 : 201 } })
      take(id, [lines[n + 1] ?? ''])
    }
    return { status: 200, body: JSON.stringify({ items }) }
  }
  const server = await openServer((request) => {
    const chance = Math.random()
    if (kills < wanted && chance < 0.15) {
      kill()
      return { status: 0 }
    }
    const answer = takeRequest(request)
    if (kills < wanted && chance < 0.3) {
      kill()
      return { status: 0 }
    }
    if (chance < 0.45) {
      lostResponses++
      return { status: chance < 0.4 ? 0 : 503 }
    }
    return answer
  })

  async function live(): Promise<boolean> {
    const assignment: DeliveryAssignment = { folder, config: configOf(protocol, server.url) }
    const { path, env } = await bundled()
    const child = spawn(process.execPath, [path, JSON.stringify(assignment)], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    kill = () => child.kill('SIGKILL')
    const printed: Buffer[] = []
    child.stdout.on('data', (bytes) => {
      printed.push(bytes)
      if (protocol === 'stdout' && kills < wanted && Math.random() < 0.3) kill()
    })
    const [code, signal] = await once(child, 'close')
    // A killed process may leave a part of a line, which a reader of lines drops.
    for (const each of String(Buffer.concat(printed)).split('\n').slice(0, -1)) take(String(unkeyed++), [each])
    if (signal === 'SIGKILL') kills++
    else if (code !== 0 && code !== 3) throw new Error(`A delivery ended with ${code ?? signal}`)
    return code === 0
  }

  try {
    const rows = await prepare(folder, wanted * 4)
    while (!(await live()));
    const idOf = (row: string) => (protocol === 'otlp' && !row.startsWith('{') ? row : JSON.parse(row).requestId)
    const { missing, doubled } = difference(rows.map(idOf), [...kept.values()].flat().map(idOf))
    // On standard output, a reader sees lines, and a segment here has four.
    return {
      kills,
      lostResponses,
      rows: rows.length,
      missing,
      doubled,
      pieceRows: protocol === 'stdout' ? 4 : pieceRows,
    }
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The number of doubled rows that a protocol allows: none with keys, otherwise the piece in flight per kill or lost response. */
export function allowed(protocol: Protocol, { kills, lostResponses, pieceRows }: KillsResult): number {
  return protocol === 'http' || protocol === 'bulk' ? 0 : (kills + lostResponses) * pieceRows
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [protocol, wanted] = [process.argv[2] as Protocol, Number(process.argv[3])]
  const result = await killDeliveries(protocol, wanted)
  const { kills, lostResponses, rows, missing, doubled } = result
  console.log(
    `${protocol}: ${kills} kills, ${lostResponses} lost responses, ${rows} rows: ${missing} lost, ${doubled} doubled (at most ${allowed(protocol, result)})`,
  )
  process.exitCode = missing === 0 && doubled <= allowed(protocol, result) ? 0 : 1
}
