import { expect, test } from 'vitest'
import { runCommandLine } from '../src/main.ts'
import { createStream } from './support/cli.ts'

test('a shell that cannot be started is reported in one sentence', async () => {
  const [out, err] = [createStream(80), createStream(80)]
  const code = await runCommandLine(['try'], {
    env: { SHELL: '/nonexistent/sh' },
    // `cdn try` only asks whether standard input is a terminal.
    stdin: () => ({ isTTY: true }) as NodeJS.ReadStream,
    stdout: out.stream,
    stderr: err.stream,
    onInterrupt: () => {},
    fetch,
    now: () => new Date(),
    sleep: async () => {},
  })
  expect([code, out.text()]).toEqual([1, ''])
  expect(err.text()).toMatch(/\ncdn: The shell \/nonexistent\/sh cannot be started: ENOENT\n$/)
})
