import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

/** A program whose handler of the first signal waits for a byte of input, blocks for 300 ms, and then cleans up for some time. */
const program = (cleaningMs: number) => `
import { readSync } from 'node:fs'
import { listenForInterruption } from ${JSON.stringify(new URL('interruption.ts', import.meta.url).href)}
const { signal } = listenForInterruption()
signal.addEventListener('abort', () => {
  console.log('aborted')
  readSync(0, Buffer.alloc(1))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  setTimeout(() => process.exit(0), ${cleaningMs})
  setImmediate(() => setTimeout(() => console.log('cleaning up'), 300))
})
setTimeout(() => {}, 60_000)
console.log('ready')`

test.each([
  ['during the handling of the first one is ignored', 'aborted', 600, 0],
  ['later ends the process at once', 'cleaning up', 60_000, 130],
])('a second signal %s', async (_, secondAt, cleaningMs, exitCode) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(cleaningMs)])
  const ended = once(child, 'close')
  for await (const line of createInterface(child.stdout)) {
    if (line === 'ready' || line === secondAt) child.kill('SIGTERM')
    if (line === 'aborted') child.stdin.write('\n')
  }
  expect(await ended).toEqual([exitCode, null])
})
