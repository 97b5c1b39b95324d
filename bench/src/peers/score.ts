import { mutants } from '@cdn/conformance/mutants'
import type { Complaints, Peer, Subject } from './peer.ts'
import { mutated, right, variants } from './subjects.ts'

/** What one tool did. */
export interface Score {
  readonly peer: Peer
  readonly missed: readonly string[]
  /** Complaints about the right server. */
  readonly alarms: Complaints
  /** How many servers that are right in another way it complains of, beyond what it says of the right one. */
  readonly alarmed: number
  readonly seconds: { readonly right: number; readonly mutants: number }
}

/** Holds the right server, every mutant and every permitted variant against a tool. */
export async function measure(peer: Peer): Promise<Score> {
  const [[alarms = none], rightSeconds] = await timed(peer, [right])
  const [found, mutantSeconds] = await timed(peer, mutants.map(mutated))
  const [others] = await timed(peer, variants)
  return {
    peer,
    missed: mutants.filter((_, index) => isNew(found[index], alarms).length === 0).map(({ id }) => id),
    alarms,
    alarmed: others.filter((complaints) => isNew(complaints, alarms).length > 0).length,
    seconds: { right: rightSeconds, mutants: mutantSeconds },
  }
}

const none: Complaints = new Set()

/** What a tool says of a server and not of the right one. */
function isNew(complaints: Complaints = none, alarms: Complaints): string[] {
  return [...complaints].filter((complaint) => !alarms.has(complaint))
}

async function timed(peer: Peer, subjects: readonly Subject[]): Promise<[Complaints[], number]> {
  const started = performance.now()
  return [await peer.examine(subjects), (performance.now() - started) / 1000]
}
