import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createStdoutReceiver } from '../../src/deliver/stdout.ts'
import { pieceOf } from './server.ts'

const { signal } = new AbortController()

/** An output that holds each write back until the test calls `release`. */
function gated() {
  const taken: string[] = []
  let open: (() => void) | undefined
  const output = new Writable({
    write(chunk, _encoding, done) {
      taken.push(String(chunk))
      open = done
    },
  })
  return { output, taken, release: () => open?.() }
}

test('a piece is sent unchanged, and only when the reader has taken it', async () => {
  const { output, taken, release } = gated()
  let done = false
  const sending = createStdoutReceiver(output)
    .send(pieceOf('{"a":1}\n{"a":2}\n'), signal)
    .then(() => {
      done = true
    })
  await new Promise(setImmediate)
  expect({ taken, done }).toEqual({ taken: ['{"a":1}\n{"a":2}\n'], done: false })
  release()
  await sending
  expect(done).toBe(true)
})

test('a stopped reader does not keep the exporter from ending', async () => {
  const stop = new AbortController()
  const sending = createStdoutReceiver(gated().output).send(pieceOf('{"a":1}\n'), stop.signal)
  stop.abort(new Error('interrupted'))
  await expect(sending).rejects.toThrow('interrupted')
})

test('a closed output is reported as an error, without a crash', async () => {
  const program = `
    import { createStdoutReceiver } from '${new URL('../../src/deliver/stdout.ts', import.meta.url)}'
    const receiver = createStdoutReceiver(process.stdout)
    const bytes = Buffer.from('{"a":1}\\n'.repeat(20_000))
    try { for (;;) await receiver.send({ bytes }, new AbortController().signal) }
    catch (error) { console.error(error.name, error.kind, error.message) }
    await receiver.check().catch((error) => console.error(error.kind))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.once('data', () => child.stdout.destroy())
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  const [code] = await once(child, 'close')
  expect(said.join('')).toBe('DeliveryError closed The reader of standard output closed it.\nclosed\n')
  expect(code).toBe(0)
})
