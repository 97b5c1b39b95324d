import { assertDefined } from '@cdn/kit/assert-defined'

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /** Line of the fence, from 1. */
  readonly line: number
  /** Options from the comment directly above the fence, for example `{ file: 'a.yaml' }`; see `run-page.ts`. */
  readonly options: Readonly<Record<string, string>>
}

const fence = /^(?:<!-- (?<comment>[^\n]*?) -->\n)?(?<fence>`{3,})(?<language>\w*)\n(?<text>[\s\S]*?)^\k<fence>$/gm

/**
 * Finds the fenced blocks of a page.
 *
 * @param page Markdown
 */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)].map(({ index, groups }) => {
    const { language, text, comment } = assertDefined(groups)
    return {
      language: assertDefined(language),
      text: assertDefined(text),
      line: page.slice(0, index).split('\n').length + (comment === undefined ? 0 : 1),
      options: optionsOf(comment ?? ''),
    }
  })
}

function optionsOf(comment: string): Record<string, string> {
  const [, name, value] = /^([a-z]+(?: [a-z]+)?): (.*)$/.exec(comment) ?? []
  return name === undefined || value === undefined ? {} : { [name]: value }
}
