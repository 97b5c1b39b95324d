import { createInterface, type Interface } from 'node:readline'
import { type Subject, startChild } from './tool.ts'

/** What a replay of the recorded requests shows: the first request with a different response, or why there is none. */
export interface Visibility {
  /** Method and target of the first request with a different response. The server is visible to a client. */
  readonly first?: string
  /** The server does not start, or does not respond in time. Every client sees that, so the duel leaves it out. */
  readonly broken?: string
}

/** Time after which a replay has no end, in ms: much longer than a replay of all requests. */
const maxReplayMs = 60_000

/** Replays the recorded requests to one server after another in one process, which it restarts after a mutant without an end. */
export class Replay {
  #child = startChild('replay-child.ts', [])
  #lines = linesOf(this.#child)

  async see(subject: Subject): Promise<Visibility> {
    const child = this.#child
    const timer = setTimeout(() => child.kill('SIGKILL'), maxReplayMs)
    child.stdin.write(`${JSON.stringify(subject)}\n`)
    const line = await this.#lines.next()
    clearTimeout(timer)
    if (!line.done) return JSON.parse(line.value)
    this.#child = startChild('replay-child.ts', [])
    this.#lines = linesOf(this.#child)
    return { broken: 'no response' }
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}

function linesOf({ stdout }: ReturnType<typeof startChild>): ReturnType<Interface[typeof Symbol.asyncIterator]> {
  return createInterface(stdout)[Symbol.asyncIterator]()
}
