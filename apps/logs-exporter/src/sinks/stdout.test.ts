import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { toLines } from '../../tests/support/stored.ts'
import { openStdoutSink } from './stdout.ts'

const signal = new AbortController().signal
const window = { zone: '7', from: 0, to: 300_000 }

/** An output that holds each write back until the test calls `let`. */
function gated() {
  const taken: string[] = []
  let open: (() => void) | undefined
  const output = new Writable({
    write(chunk, _encoding, done) {
      taken.push(String(chunk))
      open = done
    },
  })
  return { output, taken, let: () => open?.() }
}

test('lines are written unchanged, and the segment describes them', async () => {
  const taken: Buffer[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      taken.push(chunk)
      done()
    },
  })
  const writer = await openStdoutSink({ output }).begin(window, 0, 'v2', signal)
  await writer.write(toLines('{"a":1}\n{"a":2}\n'))
  expect(await writer.publish()).toMatchObject({ outcome: 'published', segment: { rows: 2, bytes: 16, source: 'v2' } })
  expect(Buffer.concat(taken).toString()).toBe('{"a":1}\n{"a":2}\n')
})

test('a slow reader blocks the writer', async () => {
  const { output, taken, let: letThrough } = gated()
  const writer = await openStdoutSink({ output }).begin(window, 0, 'v2', signal)
  let done = false
  const writing = writer.write(toLines('{"a":1}\n')).then(() => {
    done = true
  })
  await new Promise(setImmediate)
  expect({ taken, done }).toEqual({ taken: ['{"a":1}\n'], done: false })
  letThrough()
  await writing
  expect(done).toBe(true)
})

test('a stopped reader does not keep the exporter from ending', async () => {
  const stop = new AbortController()
  const writer = await openStdoutSink({ output: gated().output }).begin(window, 0, 'v2', stop.signal)
  const writing = writer.write(toLines('{"a":1}\n'))
  stop.abort(new Error('interrupted'))
  await expect(writing).rejects.toThrow('interrupted')
})

test('a closed output is reported once as an error, without a crash', async () => {
  const program = `
    import { openStdoutSink } from '${new URL('./stdout.ts', import.meta.url)}'
    const sink = openStdoutSink({ output: process.stdout })
    const bytes = Buffer.from('{"a":1}\\n'.repeat(20_000))
    const writer = await sink.begin({ zone: '7', from: 0, to: 1 }, 0, 'v2', new AbortController().signal)
    try { for (;;) await writer.write({ bytes, rows: 20_000, replaced: 0, rejects: [] }) }
    catch (error) { console.error(error.name, error.kind, error.message) }
    await sink.check().catch((error) => console.error(error.kind))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.once('data', () => child.stdout.destroy())
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  const [code] = await once(child, 'close')
  expect(said.join('')).toBe('SinkError closed The reader of standard output closed it.\nclosed\n')
  expect(code).toBe(0)
})
