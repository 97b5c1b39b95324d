import { Marked, Renderer, type Token, type Tokens } from 'marked'

/** A Markdown text as HTML, and what the navigation and `llms.txt` show of it. */
export interface Rendered {
  readonly title: string
  /** First sentence. */
  readonly summary: string
  /** Headings of the second level. */
  readonly parts: readonly { readonly id: string; readonly title: string }[]
  readonly markup: string
}

/**
 * Renders Markdown. Headings have the ids that GitHub gives them, and tables scroll.
 *
 * @param toTarget maps the target of each link and image
 */
export function renderMarkdown(text: string, toTarget: (href: string, isImage: boolean) => string): Rendered {
  const headings = new Map<Tokens.Heading, string>()
  let summary = ''
  const { code, table } = Renderer.prototype
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === 'heading') {
        const id = plain(token.tokens)
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')
        const count = [...headings.values()].filter((one) => one.replace(/-\d+$/, '') === id).length
        headings.set(token as Tokens.Heading, count > 0 ? `${id}-${count}` : id)
      }
      if (token.type === 'paragraph') summary ||= firstSentence(plain(token.tokens))
      if (token.type === 'link' || token.type === 'image') token.href = toTarget(token.href, token.type === 'image')
    },
    renderer: {
      heading(token) {
        const tag = `h${token.depth}`
        return `<${tag} id="${headings.get(token)}">${this.parser.parseInline(token.tokens)}</${tag}>\n`
      },
      html: ({ text: source }) => ownMarkup(source),
      code(token) {
        return code.call(this, token).replace('<pre>', '<pre tabindex="0">')
      },
      table(token) {
        return `<div class="scroll" tabindex="0">${table.call(this, token)}</div>\n`
      },
    },
  })
  const markup = marked.parse(text, { async: false })
  const [first] = headings.keys()
  const parts = [...headings].flatMap(([{ depth, tokens }, id]) => (depth === 2 ? [{ id, title: plain(tokens) }] : []))
  return { title: plain(first?.tokens), summary, parts, markup }
}

/** Keeps the markup of the generated pages, and removes comments. Texts of imported contracts may contain any other markup. */
function ownMarkup(source: string): string {
  if (source.startsWith('<!--')) return ''
  return /^<\/?(?:div|a|br)(?: (?:class|id)="[\w.-]+")?>$/.test(source.trim()) || wrappers.includes(source.trim())
    ? source
    : source.replaceAll('<', '&lt;')
}

/** The elements that place the examples of an operation next to its text. */
export const wrappers = ['<div class="operation"><div>', '</div><div class="examples">', '</div></div>']

/** Returns the text without marks of links, code and emphasis. */
function plain(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : ''))
    .join('')
    .replaceAll('\n', ' ')
}

function firstSentence(text: string): string {
  const end = text.search(/[.?!] /)
  return end === -1 ? text : text.slice(0, end + 1)
}
