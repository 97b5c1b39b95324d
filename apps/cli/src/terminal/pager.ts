import { CommandError } from './command-error.ts'
import type { OutputStream } from './writer.ts'

const unstarted = [126, 127]

/**
 * Creates a pager for standard output. It starts with the first text.
 *
 * @param stdout the terminal
 * @param command the pager's shell command, such as `less`
 */
export function createPager(stdout: OutputStream, command: string) {
  let child: ReturnType<typeof start> | undefined
  let isOpen = false
  let closed = Promise.resolve()
  const start = () => {
    // A static import would load this module for every command.
    const { spawn } = process.getBuiltinModule('node:child_process')
    // FRX for less: quit if the text fits on the screen, keep colors, leave the text on the screen.
    const env = { LESS: 'FRX', ...process.env }
    const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
    // The callback of the write gets the error, too.
    pager.stdin.on('error', () => {})
    isOpen = true
    closed = new Promise((resolve, reject) => {
      // Without a shell, `close` follows with a negative code.
      pager.once('error', () => {})
      pager.once('close', (code) => {
        isOpen = false
        if (code === null || (code >= 0 && !unstarted.includes(code))) return resolve()
        reject(
          new CommandError(
            `The pager ${JSON.stringify(command)} cannot be started: set CDN_PAGER or PAGER to an installed command`,
          ),
        )
      })
    })
    closed.catch(() => {}) // reported by `close`
    return pager
  }
  const stream: OutputStream = {
    isTTY: true,
    get columns() {
      return stdout.columns ?? 80
    },
    hasColors: () => stdout.hasColors?.() ?? false,
    write(data, done) {
      child ??= start()
      return child.stdin.write(data, done)
    },
    on: () => {},
  }
  return {
    stream,
    isOpen: () => isOpen,
    /**
     * Ends the text and waits until the user leaves the pager.
     *
     * @throws CommandError if the pager could not be started, so that the text was not shown
     */
    close: () => {
      child?.stdin.end()
      return closed
    },
  }
}
