/** Splits SPEC.md into sentences, each with the operation or interface that it is about. */

/** A sentence or a table row. */
export interface Clause {
  readonly section: string
  /** Line in SPEC.md, from 1. */
  readonly line: number
  readonly text: string
  /** What the clause is about: an operation (`GET /pullzone`) or an interface; undefined if it is about everything. */
  readonly subject?: string | undefined
  /** Whether the clause names points that the spec leaves open. */
  readonly open: boolean
}

const operationForm = /(?<![\w/])(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS)\s+(?:\{\w+\})?(\/[^`\s?)]*[^`\s?).,:;])/

/** Returns the first operation that a text names, such as `GET /pullzone`, without the address of its interface. */
export function operationIn(text: string): string | undefined {
  const [, method, path] = operationForm.exec(text) ?? []
  return method && `${method} ${path}`
}

/**
 * Splits the page. In section 4, a clause is about the operation that was named last. Elsewhere, it is about the operation (by the
 * title of its section) or the interface that the clause names, or that the bold words before it name.
 *
 * @param page the text of SPEC.md
 * @param interfaces the names of the interfaces
 */
export function clausesOf(page: string, interfaces: readonly string[]): Clause[] {
  const blocks = blocksOf(page)
  const titles = blocks.flatMap(({ text }, index): [string, string][] => {
    const [, title] = /^#+ §?4\.\d+\.? (.*)$/.exec(text) ?? []
    const operation = operationIn(blocks[index + 1]?.text ?? '')
    return title && operation ? [[title.replace(/ \(.*/, ''), operation]] : []
  })
  const subjects = [...titles, ...interfaces.map((name) => [name, name] as const)]
  const named = (text: string) => subjects.find(([words]) => text.toLowerCase().includes(words.toLowerCase()))?.[1]

  const clauses: Clause[] = []
  let section = ''
  let current: string | undefined
  let lead: string | undefined
  for (const { line, text } of blocks) {
    const [, number, title] = /^#+ §?(\d+(?:\.\d+)?)\.? (.*)$/.exec(text) ?? []
    if (number !== undefined) {
      section = number
      current = undefined
    }
    if (section === '') continue
    if (!text.startsWith('|')) lead = undefined
    let open = false
    let offset = 0
    for (const part of text.startsWith('|') ? [text] : sentencesOf(title ?? text)) {
      const at = text.indexOf(part, offset)
      offset = at + part.length
      current = operationIn(part) ?? current
      open ||= /\*\*Unspecified\*\*|\bnot shown\b/i.test(part)
      if (part.startsWith('**')) lead = named(part)
      const subject = section.startsWith('4.') ? current : (named(part) ?? lead)
      const own = line + text.slice(0, at).split('\n').length - 1
      clauses.push({ section, line: own, text: part.replaceAll(/\s+/g, ' '), subject, open })
    }
  }
  return clauses
}

/** A sentence ends with a punctuation mark, or with a middle dot (·) between the sentences of one line. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.;!?]\)?(?:\*\*)?)\s+|\s·\s/).filter((part) => /\w/.test(part))
}

/** Splits the page into headings, paragraphs, list items and rows of tables, without the heads of tables. */
function blocksOf(page: string): { readonly line: number; readonly text: string }[] {
  const blocks: { line: number; text: string }[] = []
  const lines = page.split('\n').map((line) => line.replace(/^\s*(?:>\s*)?/, ''))
  const isRule = (line = '') => /^[|\s:-]*-[|\s:-]*$/.test(line)
  let continues = false
  for (const [index, text] of lines.entries()) {
    const starts = /^(?:#|\||[-*] |\d+\. )/.test(text)
    const last = blocks.at(-1)
    if (text === '' || isRule(text) || (text.startsWith('|') && isRule(lines[index + 1]))) continues = false
    else if (continues && !starts && last) last.text += `\n${text}`
    else {
      blocks.push({ line: index + 1, text: text.replace(/^(?:[-*]|\d+\.) /, '') })
      continues = !text.startsWith('#') && !text.startsWith('|')
    }
  }
  return blocks
}
