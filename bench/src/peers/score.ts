import { serverMutants } from '../../../packages/conformance/tests/mutants/all.ts'
import type { Complaints, Peer, Subject } from './peer.ts'
import { mutated, right, variants } from './subjects.ts'

/** The result of one tool. */
export interface Score {
  readonly peer: Peer
  readonly missed: readonly string[]
  /** Complaints about the correct server. */
  readonly alarms: Complaints
  /** Number of servers with permitted variants that cause complaints which the correct server does not cause. */
  readonly alarmed: number
  readonly seconds: { readonly right: number; readonly mutants: number }
}

/** Checks the correct server, every mutant and every permitted variant with a tool. */
export async function measure(peer: Peer): Promise<Score> {
  const [[alarms = none], rightSeconds] = await timed(peer, [right])
  const [mutantComplaints, mutantSeconds] = await timed(peer, serverMutants.map(mutated))
  const [others] = await timed(peer, variants)
  return {
    peer,
    missed: serverMutants
      .filter((_, index) => newComplaints(mutantComplaints[index], alarms).length === 0)
      .map(({ id }) => id),
    alarms,
    alarmed: others.filter((complaints) => newComplaints(complaints, alarms).length > 0).length,
    seconds: { right: rightSeconds, mutants: mutantSeconds },
  }
}

const none: Complaints = new Set()

/** Returns the complaints about a server that the correct server does not have. */
function newComplaints(complaints: Complaints = none, alarms: Complaints): string[] {
  return [...complaints].filter((complaint) => !alarms.has(complaint))
}

async function timed(peer: Peer, subjects: readonly Subject[]): Promise<[Complaints[], number]> {
  const started = performance.now()
  return [await peer.examine(subjects), (performance.now() - started) / 1000]
}
