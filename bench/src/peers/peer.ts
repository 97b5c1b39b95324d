import type { Check } from '@cdn/conformance'
import type { Emulator } from '@cdn/emulator'

/** A server to be judged: fresh and the same each time, right or with one mistake. */
export interface Subject {
  readonly id: string
  /** The checks whose requests this subject is judged by; a tool with requests of its own has no use for them. */
  readonly checks: readonly Check[]
  create(): Promise<Emulator>
}

/** What a tool has against a subject: one short text for each kind of complaint. */
export type Complaints = ReadonlySet<string>

/** A tool that says what is wrong with a server. */
export interface Peer {
  readonly name: string
  /** What it read: the contract as the document alone states it, or with the supplement. */
  readonly layer: 'document' | 'full'
  /** @returns the complaints for each subject, in their order */
  examine(subjects: readonly Subject[]): Promise<Complaints[]>
}
