import { expect, test } from 'vitest'
import { runCli } from './support/cli.ts'

// What the commands of the shell do is tested on a terminal: tests/src/cli/terminal.test.ts.

test('a shell that cannot be started is reported in one sentence', async () => {
  const { code, out, err } = await runCli(['try'], { env: { SHELL: '/nonexistent/sh' } })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/\ncdn: The shell \/nonexistent\/sh cannot be started: ENOENT\n$/)
})
