import { Marked, Renderer, type Tokens } from 'marked'

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
        const id = plain(token['text'])
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')
        const count = [...headings.values()].filter((one) => one.replace(/-\d+$/, '') === id).length
        headings.set(token as Tokens.Heading, count > 0 ? `${id}-${count}` : id)
      }
      if (token.type === 'paragraph') summary ||= /^.*?[.?!](?= |$)|.*/.exec(plain(token['text']))?.[0] ?? ''
      if (token.type === 'link' || token.type === 'image') token.href = toTarget(token.href, token.type === 'image')
    },
    renderer: {
      heading(token) {
        const tag = `h${token.depth}`
        return `<${tag} id="${headings.get(token)}">${this.parser.parseInline(token.tokens)}</${tag}>\n`
      },
      html: ({ text: source }) => (ownMarkup.test(source) ? source : source.replaceAll('<', '&lt;')),
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
  const parts = [...headings].flatMap(([{ depth, text: title }, id]) =>
    depth === 2 ? [{ id, title: plain(title) }] : [],
  )
  return { title: plain(first?.text ?? ''), summary, parts, markup }
}

/** What the generated pages contain besides Markdown, and comments of guides. Imported contracts may contain any other markup. */
const ownMarkup = /^(?:<\/?(?:div|a|br)(?: (?:class|id)="[\w.-]+")?>|<!--(?:(?!-->).)*-->|\s)*$/s

/** Removes the marks of links, code and emphasis. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\n', ' ')
}
