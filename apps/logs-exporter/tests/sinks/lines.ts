import { buffer } from 'node:stream/consumers'
import type { Window } from '../../src/segments/segment.ts'
import type { Published, Sink } from '../../src/sinks/sink.ts'
import { toLines } from '../support/encoded-file.ts'

export { toLines }

export const signal = new AbortController().signal
/** The n-th window of five minutes, counted from 0. */
export function windowAt(n: number, zone = '4711'): Window {
  const from = Date.parse('2026-06-17T14:30:00Z') + n * 300_000
  return { zone, from, to: from + 300_000 }
}

export function line({ zone, from }: Window, n: number, fields: Record<string, unknown> = {}): string {
  const entry = { timestamp: new Date(from + n).toISOString(), pullZoneId: Number(zone), statusCode: 200, bytesSent: n }
  return `${JSON.stringify({ ...entry, ...fields, source: 'v2' })}\n`
}

/** Publishes texts of whole lines as one segment. */
export async function publish(
  sink: Sink,
  window: Window,
  texts: readonly string[],
  { revision = 0 } = {},
): Promise<Published> {
  const writer = await sink.begin({ ...window, revision }, signal)
  for (const text of texts) await writer.write(toLines(text))
  return writer.publish()
}

/** The content of a sink by segment. */
export async function contents(sink: Sink, zone = '4711'): Promise<Record<string, string>> {
  const content: Record<string, string> = {}
  for await (const segment of sink.segments({ zone, from: 0, to: Number.POSITIVE_INFINITY }, signal)) {
    const bytes = await buffer(sink.read(segment, signal))
    content[`${new Date(segment.from).toISOString()} r${segment.revision}`] = bytes.toString()
  }
  return content
}
