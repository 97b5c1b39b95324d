/**
 * Breaks a text into lines at spaces. Lines that the text already has stay apart.
 *
 * @param width columns of a line
 * @param indent what each line begins with, but the first
 */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, indent))
    .join(`\n${indent}`)
}

function wrapLine(line: string, width: number, indent: string): string {
  const lead = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = lead
  for (const word of line.trim().split(' ')) {
    const isFirst = current.trim() === ''
    if (!isFirst && indent.length + current.length + 1 + word.length > width) {
      lines.push(current)
      current = lead + word
    } else {
      current += isFirst ? word : ` ${word}`
    }
  }
  return [...lines, current].join(`\n${indent}`)
}
