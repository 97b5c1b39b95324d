/**
 * Texts that others read: issues, the job summary and messages. A platform writes mentions, links, markup, secrets and data of visitors
 * into everything that it sends. Receivers resolve a text before they look for mentions, so the test does that, too.
 */
import { createEmulator } from '@cdn/emulator'
import { secretNames } from '@cdn/kit/testing/secret-names'
import { expect, test } from 'vitest'
import { assembleReport, createPlan, type Report, runCheck, sessionOn } from '../src/index.ts'
import { jsonReport } from '../src/memory/conclude.ts'
import { syncIssues } from '../src/memory/issues.ts'
import { digestOf, type MessageForm, type messageBodies, messagesOf } from '../src/memory/message.ts'
import { summaryOf } from '../src/memory/summary.ts'
import { markdownReport } from '../src/report/markdown.ts'
import { toHtml } from '../src/report/page/page.ts'
import { withChanges } from '../src/verdict/changes.ts'
import { createGh } from './support/gh.ts'
import { reportFilledWith } from './support/samples.ts'

/** What a receiver turns into a mention, a link, a format or an expression. */
const active = [
  '@octocat @org/team @everyone @here <@U123> <!channel> <!subteam^S1> <#C123> <@&99> <at>Ann</at>',
  '#1 owner/repo#2 GH-3 0123456789abcdef0123456789abcdef01234567 https://evil.invalid www.evil.invalid mailto:a@evil.invalid user@0123456 ftp://evil.invalid',
  '[a](https://evil.invalid) ![a](//evil.invalid) <https://evil.invalid|a> <a href=x> <!-- --> &lt;!here&gt; &#64;octocat',
  '**b** *b* _i_ ~~s~~ ~s~ `c` ||s|| $x$ <t:1:R> </name:1> <:e:1> {{DATE(2026-01-01T00:00:00Z)}} ```',
].join(' ')
const [secret, visitor] = ['CANARY', 'VISITOR']
/** Fields of a row that say nothing about a visitor. */
const impersonal = ['cacheStatus', 'statusCode', 'timestamp', 'pullZoneId', 'bytesSent', 'edgeLocation', 'scheme']

type Receiver = 'title' | 'GitHub' | MessageForm
type Fields = Readonly<Record<string, unknown>>

/** Adds hostile fields to an object, to the items of a list, and to the rows of a page. */
function spoil({ Items, data, ...own }: Fields): Fields {
  if (Array.isArray(Items)) return { ...own, Items: Items.map(spoil) }
  if (Array.isArray(data)) return { ...own, [active]: active, data: data.map(ofVisitor) }
  const secrets = Object.fromEntries(secretNames.map((name) => [name, secret]))
  return { ...own, ...secrets, Name: active, Url: `https://user:${secret}@a.invalid/?token=${secret}`, Message: active }
}

function ofVisitor(row: Fields): Fields {
  const fields = Object.entries(row).map(([name, value]) => {
    const isText = typeof value === 'string' && name !== 'timestamp'
    return [name, isText ? `${impersonal.includes(name) ? '' : visitor} ${active}` : value]
  })
  return { ...Object.fromEntries(fields), [visitor]: `${visitor} ${active}`, authorizationHeader: secret }
}

const hostile = async (only: RegExp): Promise<Report> => {
  const plan = createPlan()
  const { signal } = new AbortController()
  const runs = []
  for (const check of plan.checks.filter(({ id }) => only.test(id))) {
    const emulator = await createEmulator()
    emulator.faults.add({
      name: 'hostile',
      text: 'Each response is hostile, and a filter by data of a visitor is answered 500.',
      async around(call, operation, next) {
        const response = await next(call, operation)
        const headers = {
          ...response.headers,
          'x-request-id': active,
          'x-api-key': secret,
          'set-cookie': `s=${secret}`,
        }
        const isJson = typeof response.body === 'string' && /^\{/.test(response.body)
        const isOfVisitor = call.query.includes(visitor)
        const text = call.interface === 'logging' && response.status < 300 ? `${visitor}|${active}` : active
        const body = isJson ? JSON.stringify(spoil(JSON.parse(String(response.body)))) : response.body && text
        return { ...response, ...(isOfVisitor && { status: 500 }), headers, body: isOfVisitor ? active : body }
      },
    })
    runs.push(await runCheck(check, sessionOn(emulator), { signal }))
  }
  const target = { kind: 'live', managementUrl: 'https://one.invalid/', loggingUrl: 'https://two.invalid/' } as const
  const facts = { startedAt: '2026-01-01T00:00:00Z', durationMs: 1, status: 'complete', seed: 1, target } as const
  return assembleReport({ plan, runs, ...facts })
}

/** The texts that receivers get, by receiver. */
async function textsOf(report: Report): Promise<Readonly<Record<Receiver, readonly string[]>>> {
  const gh = createGh()
  await syncIssues(report, [summaryOf(report)], gh.run, {})
  const digest = digestOf(report, [{ ...summaryOf(report), undelivered: [active] }])
  const bodiesOf = <F extends MessageForm>(form: F) =>
    (digest ? messagesOf(digest, form) : []).map(({ body }) => body as ReturnType<(typeof messageBodies)[F]>)
  return {
    title: gh.issues.map(({ title }) => title),
    GitHub: [markdownReport(report), ...gh.issues.map(({ body }) => body)],
    slack: bodiesOf('slack').map(({ text }) => text),
    discord: bodiesOf('discord').map(({ content }) => content),
    teams: bodiesOf('teams').flatMap(({ attachments }) =>
      attachments.flatMap(({ content }) => content.body.map(({ text }) => text)),
    ),
  }
}

const withoutCode = (text: string) => text.replace(/^(`{3,})\w*\n.*?\n\1$/gms, '').replace(/(?<!\\)`[^`\n]*`/g, '')
const withoutEntities = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
const withoutBackslashes = (text: string) => text.replace(/\\(?=[!-/:-@[-`{-~])/g, '')
/** Mentions of people, channels and teams, references to issues and commits, and links. */
const reference = /@[\w&-]|#\w|\bGH-\d|:\/\/\w|\bwww\.|mailto:|\b(?=\d*[a-f])[\da-f]{7,40}\b/i

/** What is left of a text for each receiver: what it would mention or link, and what it would format. */
const receivers: Readonly<Record<Receiver, (text: string) => readonly (string | undefined)[]>> = {
  // GitHub takes a title as plain text.
  title: (text) => [reference.exec(text)?.[0]],
  GitHub: (text) => {
    const own = withoutCode(text)
      .replace(/<\/?(?:details|summary)>/g, '')
      .replace(/^(?:> |#+ |\*\*)|\*\*$|\*\*(?=live\*\*)|(?<=\*\*live)\*\*/gm, '')
    return [
      reference.exec(withoutBackslashes(withoutEntities(own)))?.[0],
      /[<>]|(?<!\\)[*_`~[\]]|&(?!#)/.exec(own)?.[0],
    ]
  },
  slack: (text) => {
    const own = text.replace(/^\*(.*)\*$/m, '$1')
    const marks = /(?<![\w\u2060])([*_~`])(?!\u2060)[^\n]*?\1(?!\u2060)/.exec(own)?.[0]
    return [/[<>]/.exec(own)?.[0], reference.exec(own)?.[0], marks]
  },
  discord: (text) => {
    const own = text.replace(/^\*\*(.*)\*\*$/m, '$1')
    return [reference.exec(withoutBackslashes(own))?.[0], /(?<!\\)[*_~`]|\|\||\](?=\()/.exec(own)?.[0]]
  },
  teams: (text) => [reference.exec(withoutBackslashes(text))?.[0], /(?<!\\)[*_~`]|\](?=\()|\{\{|<\w/.exec(text)?.[0]],
}

test('texts for others have none of the mentions, links, markup, secrets and data of visitors that a platform writes into everything', async () => {
  const only = /query-logs\.user-agent-contains-filter$|cache-status\.values|error-body|(?:get|list)-pull-zones?\.200$/
  const report = withChanges(await hostile(only), [])
  // Otherwise the test would prove nothing: the report for the team has all of it.
  for (const text of [visitor, '@octocat', '[redacted]'])
    expect([text, jsonReport(report).includes(text)]).toEqual([text, true])
  const texts = await textsOf(report)
  for (const [receiver, all] of Object.entries(texts)) {
    expect(all.length, receiver).toBeGreaterThan(0)
    expect(all.join(), receiver).not.toMatch(/VISITOR|userAgentContains=(?!…|\[left-out\])/)
    for (const text of all)
      expect([receiver, ...receivers[receiver as Receiver](text).filter(Boolean)]).toEqual([receiver])
  }
  const everything = [jsonReport(report), toHtml(report), ...Object.values(texts).flat()]
  expect(everything.map((text) => text.split(secret).length - 1)).toEqual(everything.map(() => 0))
})

test('no text of a report mentions, links or formats anything, wherever it stands', async () => {
  for (const text of active.split(' ')) {
    const texts = await textsOf(withChanges(reportFilledWith(`seen ${text} there`), []))
    for (const [receiver, all] of Object.entries(texts))
      for (const one of all)
        expect([receiver, text, ...receivers[receiver as Receiver](one).filter(Boolean)]).toEqual([receiver, text])
  }
})
