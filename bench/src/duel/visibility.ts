import { existsSync } from 'node:fs'
import { responsesFile } from './folders.ts'
import { runChild, type Subject } from './tool.ts'

/** What a replay of the recorded requests shows: the first request with a different response, or why there is none. */
export interface Visibility {
  /** Method and target of the first request with a different response. The server is visible to a client. */
  readonly first?: string
  /** The server does not start, or does not respond in time. Every client sees that, so the duel leaves it out. */
  readonly broken?: string
}

/** Time after which a replay has no end, in ms: much longer than a replay of all requests. */
const maxReplayMs = 60_000

/**
 * Replays the recorded requests to a server, in a process of its own: what a mutant leaves in the memory of a module (a cached pattern, a
 * compiled schema) must not change the next server.
 */
export async function see(subject: Subject): Promise<Visibility> {
  if (!existsSync(responsesFile)) await runChild('replay-child.ts', { name: 'right', record: true }, [])
  return runChild('replay-child.ts', subject, [], maxReplayMs).then(
    (seen) => seen as Visibility, // printed by the child
    () => ({ broken: 'no response' }),
  )
}
