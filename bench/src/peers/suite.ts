import { runCheck, sessionOn } from '@cdn/conformance'
import type { Complaints, Peer, Subject } from './peer.ts'

/** Runs the conformance suite of this repository in process. Its complaints are the ids of failed checks. */
export function createSuite(layer: Peer['layer']): Peer {
  return {
    name: 'this suite',
    layer,
    async examine(subjects) {
      const all: Complaints[] = []
      for (const subject of subjects) all.push(await failing(subject, layer))
      return all
    },
  }
}

async function failing({ checks, create }: Subject, layer: Peer['layer']): Promise<Complaints> {
  const failed = new Set<string>()
  for (const check of checks.filter(({ basis }) => layer === 'full' || basis === 'spec')) {
    const emulator = await create()
    const { result } = await runCheck(check, sessionOn(emulator), { signal: neverAborted })
    if (result.outcome === 'fail') failed.add(check.id)
  }
  return failed
}

export const neverAborted: AbortSignal = new AbortController().signal
