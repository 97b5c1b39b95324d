import { setTimeout } from 'node:timers/promises'
import { useProxy } from '@cdn/kit/proxy'
import { runCommandLine } from './main.ts'
import { cliExitCodes } from './terminal/command-error.ts'

/** How long a command may take to end after an interrupt, in milliseconds. */
const maxEndMs = 2000

const onInterrupt = (listener: () => boolean) => {
  let isInterrupted = false
  const interrupt = () => {
    // A second interrupt ends the process immediately.
    if (isInterrupted) process.exit(cliExitCodes.interrupted)
    if (!listener()) return
    isInterrupted = true
    globalThis.setTimeout(() => process.exit(cliExitCodes.interrupted), maxEndMs).unref()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
}

if (useProxy('cdn'))
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt,
    fetch: (...request) => fetch(...request),
    now: () => new Date(),
    sleep: (ms, signal) =>
      setTimeout(ms, undefined, { signal }).catch(() => {
        throw signal.reason
      }),
  })
