import type { Check } from '@cdn/conformance'
import type { Emulator } from '@cdn/emulator'

/** A server to check. It is correct or has one mistake. Each call of `create` returns a fresh, identical server. */
export interface Subject {
  readonly id: string
  /** The checks to run against this subject. Tools that send their own requests ignore them. */
  readonly checks: readonly Check[]
  create(): Promise<Emulator>
}

/** Problems that a tool reports for a subject: one short text per kind of problem. */
export type Complaints = ReadonlySet<string>

/** A tool that checks servers. */
export interface Peer {
  readonly name: string
  /** The layer of the contract that the tool reads. */
  readonly layer: 'document' | 'full'
  /** @returns the complaints per subject, in the same order */
  examine(subjects: readonly Subject[]): Promise<Complaints[]>
}
