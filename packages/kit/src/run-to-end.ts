/** Ends a program: writes pending output, and lets nothing that is still open (a connection, a timer, a pipe) keep the process alive. */
import { setImmediate } from 'node:timers/promises'
import { isInterrupted } from './interruption.ts'
import { sleep } from './wait.ts'

/** Maximum wait for pending output after an interruption, in ms. The reader of the output may have stopped. */
const graceMs = 1_000

/**
 * Runs a program, and ends the process with its exit code. A closed pipe, as in `PROGRAM | head`, is no failure.
 *
 * @param program its name, for messages
 * @param failure exit code if `run` throws, which is a fault of the program, or if standard output cannot be written
 * @param run returns the exit code
 */
export async function runToEnd(program: string, failure: number, run: () => Promise<number>): Promise<never> {
  let isCut = false
  process.stderr.on('error', () => {}) // there is no other place to report it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isReported = process.stdout.listenerCount('error') > 1 // by the program itself
    if (error.code === 'EPIPE' || isCut || isReported) return
    isCut = true
    process.stderr.write(`${program}: Standard output cannot be written (${error.code}).\n`)
  })
  let code = failure
  try {
    code = await run()
  } catch (error) {
    console.error(error)
  }
  await setImmediate() // a stream reports an error of its last write late
  await Promise.race([
    Promise.all([written(process.stdout), written(process.stderr)]),
    ...(isInterrupted() ? [sleep(graceMs)] : []),
  ])
  process.exit(isCut ? code || failure : code)
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) return resolve()
    stream.once('close', resolve)
    stream.write('', () => resolve())
  })
}
