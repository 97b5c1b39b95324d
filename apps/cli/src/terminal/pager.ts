import type { OutputStream } from './writer.ts'

/** Sends standard output through a pager. The pager starts with the first text. */
export interface Pager {
  readonly stream: OutputStream
  readonly isOpen: () => boolean
  /** Ends the text and waits until the user leaves the pager. */
  readonly close: () => Promise<void>
}

/**
 * Creates a pager.
 *
 * @param stdout the terminal
 * @param command the pager's shell command, such as `less`
 */
export function createPager(stdout: OutputStream, command: string): Pager {
  const listeners: ((error: Error) => void)[] = []
  let child: ReturnType<typeof start> | undefined
  const start = () => {
    // A static import would load this module for every command.
    const { spawn } = process.getBuiltinModule('node:child_process')
    // FRX for less: quit if the text fits on the screen, keep colors, leave the text on the screen.
    const env = { LESS: 'FRX', ...process.env }
    const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
    for (const listener of listeners) pager.stdin.on('error', listener)
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
    on: (_event, listener) => listeners.push(listener),
  }
  return {
    stream,
    isOpen: () => child !== undefined && child.exitCode === null,
    close: () =>
      new Promise((resolve) => {
        if (!child || child.exitCode !== null) return resolve()
        child.once('close', () => resolve())
        child.stdin.end()
      }),
  }
}
