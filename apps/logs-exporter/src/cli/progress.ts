export type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** Minimum time between two lines, in ms. */
const everyMs = 10_000

/** Creates a function that writes a line about the progress of a command, unless the last one is less than ten seconds old. */
export function createProgress(stream: Terminal, now = () => performance.now()): (line: () => string) => void {
  let last = now()
  return (line) => {
    if (now() - last < everyMs) return
    last = now()
    stream.write(`${line()}\n`)
  }
}
