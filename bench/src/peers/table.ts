import { cpus } from 'node:os'
import { markdownTable } from '@cdn/kit/markdown-table'
import { serverMutants } from '../../../packages/conformance/tests/mutants/all.ts'
import type { Score } from './score.ts'
import { variants } from './subjects.ts'

/** @returns the scores as a Markdown table, and the machine that they were measured on */
export function toTable(all: readonly Score[]): string {
  const layers = { document: 'document', full: 'document + supplement' } as const
  const rows = all.map(({ peer, missed, alarms, alarmed, seconds }) => [
    peer.name,
    layers[peer.layer],
    `${serverMutants.length - missed.length} of ${serverMutants.length}`,
    String(alarms.size),
    `${alarmed} of ${variants.length}`,
    `${seconds.right.toFixed(1)} s`,
    `${seconds.mutants.toFixed(0)} s`,
  ])
  const head = [
    'tool',
    'contract',
    'mutants killed',
    'alarms on the correct server',
    'alarms on permitted variants',
    'one run',
    'all mutants',
  ]
  return `${markdownTable(head, rows)}\n\nNode ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}).`
}
