import { defined } from '@cdn/kit/defined'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /** Line of the fence, from 1. */
  readonly line: number
  /** Options from the comment directly above the fence, for example `{ file: 'a.yaml' }`; see `run-page.ts`. */
  readonly wishes: Readonly<Record<string, string>>
}

const fence = /^(?:<!-- (?<comment>[^\n]*?) -->\n)?(?<fence>`{3,})(?<language>\w*)\n(?<text>[\s\S]*?)^\k<fence>$/gm

/**
 * Finds the fenced blocks of a page.
 *
 * @param page Markdown
 */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)].map(({ index, groups }) => {
    const { language, text, comment } = defined(groups)
    return {
      language: defined(language),
      text: defined(text),
      line: page.slice(0, index).split('\n').length + (comment === undefined ? 0 : 1),
      wishes: wishesOf(comment ?? ''),
    }
  })
}

function wishesOf(comment: string): Record<string, string> {
  const [, name, value] = /^([a-z]+(?: [a-z]+)?): (.*)$/.exec(comment) ?? []
  return name === undefined || value === undefined ? {} : { [name]: value }
}

/** Returns the targets of the links and images of a page, except those inside code. */
export function linksOf(page: string): { readonly target: string; readonly line: number }[] {
  const bare = page
    .replace(fence, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
  return [...bare.matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map(({ index, 1: link, 2: image }) => ({
    target: defined(link ?? image),
    line: bare.slice(0, index).split('\n').length,
  }))
}

/** Returns the anchors of a page's headings, as GitHub forms them. */
export function anchorsOf(page: string): string[] {
  const bare = page.replace(fence, '')
  return [...bare.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) =>
    defined(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
