import { exitCodes } from './errors/command-error.ts'
import { main } from './main.ts'

/** How long a command has to end once it is told to, in milliseconds. */
const longestEnd = 2000

const onInterrupt = (listener: () => void) => {
  let isTold = false
  const interrupt = () => {
    // Who asks twice does not want to wait.
    if (isTold) process.exit(exitCodes.interrupted)
    isTold = true
    listener()
    setTimeout(() => process.exit(exitCodes.interrupted), longestEnd).unref()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
}

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt,
  fetch: (...request) => fetch(...request),
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const end = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end)
        resolve()
      }, ms)
      signal.addEventListener('abort', end, { once: true })
    }),
})
