import { type FaultKind, faultTable } from './fault-table.ts'

/** The table of faults as the README has it. */
export function toMarkdown(): string {
  const kinds: [string, FaultKind][] = Object.entries(faultTable)
  const rows = kinds.map(([name, { text, kind, parameters }]) => {
    const numbers = Object.entries(parameters).map(
      ([key, { text: meaning, otherwise }]) => `\`${key}\` ${meaning} (${otherwise})`,
    )
    return `| \`${name}\` | ${kind} | ${text} | ${numbers.join('; ') || 'none'} |`
  })
  return ['| fault | kind | what goes wrong | its numbers (default) |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
