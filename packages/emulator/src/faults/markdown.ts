import { markdownTable } from '@cdn/kit/markdown-table'
import { type FaultKind, faultTable } from './fault-table.ts'

/** Generates the table of faults in the README. */
export function toFaultMarkdown(): string {
  const kinds: [string, FaultKind][] = Object.entries(faultTable)
  const rows = kinds.map(([name, { text, kind, parameters }]) => {
    const numbers = Object.entries(parameters).map(
      ([key, { text: meaning, defaultValue }]) => `\`${key}\` ${meaning} (${defaultValue})`,
    )
    return [`\`${name}\``, kind, text, numbers.join('; ') || 'none']
  })
  return markdownTable(['fault', 'kind', 'what goes wrong', 'parameters (default)'], rows)
}
