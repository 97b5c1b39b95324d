import type { ReadStream } from 'node:tty'

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean
  /** Reads to the end. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>
  /** The terminal itself, for questions; undefined where it is none. */
  readonly terminal: ReadStream | undefined
}

/**
 * Makes the input of a process's stream.
 *
 * @param open gives the stream; called when somebody asks for it, since making it takes time
 */
export function createInput(open: () => NodeJS.ReadStream): Input {
  return {
    get isTerminal() {
      return open().isTTY === true
    },
    get terminal() {
      return open().isTTY ? (open() as ReadStream) : undefined
    },
    read: async () => {
      const pieces: Uint8Array[] = []
      for await (const piece of open()) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
      return new Uint8Array(Buffer.concat(pieces))
    },
  }
}
