import { Marked, Renderer, type Token, type Tokens } from 'marked'

/**
 * Renders Markdown. Headings have the ids that GitHub gives them, and tables scroll.
 *
 * @param toTarget maps the target of each link and image
 */
export function renderMarkdown(
  text: string,
  toTarget: (href: string, isImage: boolean) => string,
): { readonly title: string; readonly markup: string } {
  const ids = new Map<Tokens.Heading, string>()
  const { code, table } = Renderer.prototype
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === 'heading') {
        const id = plain(token.tokens)
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')
        const count = [...ids.values()].filter((one) => one.replace(/-\d+$/, '') === id).length
        ids.set(token as Tokens.Heading, count > 0 ? `${id}-${count}` : id)
      }
      if (token.type === 'link' || token.type === 'image') token.href = toTarget(token.href, token.type === 'image')
    },
    renderer: {
      heading(token) {
        return `<h${token.depth} id="${ids.get(token)}">${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`
      },
      // HTML is escaped, because the text of a contract may contain any markup. Comments are removed: they are for our own tools.
      html: ({ text: source }) => (source.startsWith('<!--') ? '' : source.replaceAll('<', '&lt;')),
      code(token) {
        return code.call(this, token).replace('<pre>', '<pre tabindex="0">')
      },
      table(token) {
        return `<div class="scroll" tabindex="0">${table.call(this, token)}</div>\n`
      },
    },
  })
  const markup = marked.parse(text, { async: false })
  const [first] = ids.keys()
  return { title: plain(first?.tokens), markup }
}

/** Returns the text of tokens without the marks of links, code and emphasis. */
function plain(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : ''))
    .join('')
    .replaceAll('\n', ' ')
}
