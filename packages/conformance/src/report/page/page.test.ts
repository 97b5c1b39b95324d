import { createHash } from 'node:crypto'
import { defined } from '@cdn/kit/defined'
import { describe, expect, test } from 'vitest'
import { check, full, reportOf, requirement } from '../../../tests/support/samples.ts'
import { toHtml } from './page.ts'

const page = toHtml(full)
const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]

describe('the page', () => {
  test.each([
    ['the result in one sentence', /<h1 class="result fail">.*The live platform does not conform: 1 check failed/],
    ['the counts', /<b>1<\/b> <span><span class="mark" aria-hidden="true">✕<\/span>failed/],
    ['the coverage', /2 can be checked \(1 through the spec alone, 1 through the supplement\)/],
    ['the requirement of a failed check', /<q>After a success the hostname is there\.<\/q>/],
    [
      'expected and seen',
      /<dd>a\.invalid among the allowed referrers<\/dd><dt>Seen<\/dt><dd>no allowed referrers<\/dd>/,
    ],
    ['the exchange', /&gt; POST https:\/\/management\.invalid[\s\S]*&lt; 500[\s\S]*&lt; no response: socket closed/],
    [
      'a command that repeats it',
      /curl --include --request POST https:\S+ --header &quot;accesskey: \$CDN_ACCESS_KEY&quot;/,
    ],
    ['why a requirement is unchecked', /<dt>The spec has no figure\.<\/dt>/],
    ['the exchanges that break the contract', /Field is missing\./],
    ['drift', /The status code and the body of a success\.[\s\S]*\{&quot;status&quot;:204\}[\s\S]*drift/],
    ['the open points without an observation', /points that the spec leaves open, without an observation/],
    ['the areas without an operation', /no operation of these areas: .*Purge/],
  ])('shows %s', (_name, content) => expect(page).toMatch(content))

  test('lists the undecided requirements of each source with the reason', () => {
    const skipped = { ...requirement, outcome: 'skip', reason: 'no <traffic> at night' } as const
    const supplement = {
      ...skipped,
      id: 'logging.query-logs.has-more',
      source: 'supplement',
      section: 'Logging v2',
    } as const
    const text = toHtml(reportOf([check], { requirements: [skipped, supplement] }))
    const [, list = ''] = /<details class="undecided">([\s\S]*?)<\/details>/.exec(text) ?? []
    const [ofSpec, ofSupplement] = list.split('Supplement')
    for (const [part, { id }] of [
      [ofSpec, skipped],
      [ofSupplement, supplement],
    ] as const) {
      expect(part).toContain('no &lt;traffic&gt; at night')
      expect(part).toContain(`href="#requirement-${id}"`)
    }
    expect(ofSpec).not.toContain('has-more')
  })

  test('leaves out empty sections', () => {
    const calm = toHtml(reportOf([check]))
    expect(calm).not.toMatch(/id="(failures|breaches|unchecked)"/)
  })

  test('has a target for each link, and each id once', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    const links = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => decodeURIComponent(defined(id)))
    expect(new Set(ids).size).toBe(ids.length)
    expect(links.filter((link) => !ids.includes(link))).toEqual([])
  })

  test('runs only its own script and style sheet', () => {
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ]) {
      const content = defined(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)?.[1])
      const hash = createHash('sha256').update(content).digest('base64')
      expect(policy).toContain(`${directive} 'sha256-${hash}'`)
    }
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).not.toContain('unsafe')
  })

  test('the script is self-contained', () => {
    const script = defined(/<script>([\s\S]*?)<\/script>/.exec(page)?.[1])
    // Without a form, the script does nothing. If it used anything from outside itself, it would throw a ReferenceError.
    expect(() => new Function('document', script)({ querySelector: () => null })).not.toThrow()
  })
})
