import { control, hostileTexts } from '@cdn/kit/testing/hostile-texts'
import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import { runConformance } from '../../../packages/conformance/src/cli/cli.ts'
import { jsonReport } from '../../../packages/conformance/src/memory/conclude.ts'
import { summaryOf } from '../../../packages/conformance/src/memory/summary.ts'
import { toJunit } from '../../../packages/conformance/src/report/junit.ts'
import { markdownReport } from '../../../packages/conformance/src/report/markdown.ts'
import { toHtml } from '../../../packages/conformance/src/report/page/page.ts'
import { runsPage } from '../../../packages/conformance/src/report/page/runs.ts'
import { terminalReport } from '../../../packages/conformance/src/report/terminal.ts'
import { reportFilledWith } from '../../../packages/conformance/tests/support/samples.ts'

/** Returns the elements of a document with the names of their attributes, in order. */
function skeleton(document: Document): string[] {
  // `wbr` is left out: a page has it in long words, so the number depends on the text.
  return [...document.querySelectorAll(':not(wbr)')].map((element) => {
    const names = element.getAttributeNames().map((name) => {
      const value = element.getAttribute(name) ?? ''
      return name === 'href' ? `href=${/^#|^data:,$/.exec(value)}` : name
    })
    return `${element.tagName} ${names.join(' ')}`
  })
}

const { window } = new JSDOM()
const parseHtml = (text: string) => new JSDOM(text).window.document
const parseXml = (text: string) => new window.DOMParser().parseFromString(text, 'text/xml')
/** Parses the page of a report and the page across runs, with two runs in the memory. */
function parsePages(text: string): readonly Document[] {
  const report = reportFilledWith(text)
  const run = summaryOf(report, [], `javascript:${text}`)
  const runs = [run, { ...run, at: '2026-01-03T03:04:05.678Z' }]
  return [parseHtml(toHtml(report, runs)), parseHtml(runsPage(runs))]
}
const codesOf = (page: Document) => [...page.querySelectorAll('script, style')].map((one) => one.textContent)
const harmless = 'Harmless'
const expectedPages = parsePages(harmless)
const expectedXml = skeleton(parseXml(toJunit(reportFilledWith(harmless))))

/** For each format of a report, a check that a text of a target does not change the structure of the report. */
const formats: Readonly<Record<string, (text: string) => void | Promise<void>>> = {
  HTML: (text) => {
    const pages = parsePages(text)
    expect(pages.map(skeleton)).toEqual(expectedPages.map(skeleton))
    expect(pages.map(codesOf)).toEqual(expectedPages.map(codesOf))
    for (const page of pages) {
      expect(page.body.textContent).not.toMatch(control)
      expect(page.querySelector('[href^="javascript:"]')).toBeNull()
    }
  },
  JUnit: (text) => {
    const xml = toJunit(reportFilledWith(text))
    expect(skeleton(parseXml(xml))).toEqual(expectedXml)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are invalid in XML 1.0
    expect(xml).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/)
  },
  JSON: (text) => expect(JSON.parse(jsonReport(reportFilledWith(text)))).toMatchObject({ exitCode: 1 }),
  Markdown: (text) => {
    const markdown = markdownReport(reportFilledWith(text)).replace(/^(`{3,})\w+\n[\s\S]*?\n\1$/gm, '')
    expect(markdown).not.toContain('```')
    const tags = new Set([...markdown.matchAll(/<[^>]*>/g)].map(([tag]) => tag))
    expect([...tags].sort()).toEqual(['</details>', '</summary>', '<details>', '<summary>'])
    const outsideCode = markdown.replace(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
    expect(outsideCode).not.toMatch(/(?<!\\)\*\*bold|(?<!\\)\[a|(?<!:\u2060)\/\/evil|@someone/)
    for (const table of markdown.split('\n\n').filter((block) => block.startsWith('|')))
      expect(new Set(table.split('\n').map((line) => line.split(/(?<!\\)\|/).length)).size).toBe(1)
  },
  'the terminal': (text) => expect(terminalReport(reportFilledWith(text), { color: false })).not.toMatch(control),
  'the log of a job': async (text) => {
    let written = ''
    const stream = { isTTY: false, write: (part: string) => (written += part) }
    const code = await runConformance([text], { GITHUB_ACTIONS: 'true' }, { out: stream, err: stream })
    expect(code).toBe(2)
    expect(written).not.toMatch(/##\[|^::|\n::/)
  },
}

describe.each(Object.entries(formats))('a text of a target stays text in %s', (_, verify) => {
  test.each(Object.entries(hostileTexts))('%s', (_name, text) => verify(text))
})
