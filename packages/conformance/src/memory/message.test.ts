import type { IncomingWebhookSendArguments } from '@slack/webhook'
import { adaptiveCardSchema } from 'adaptivecards-designer/lib/adaptive-card-schema.js'
import { Ajv } from 'ajv'
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import { describe, expect, test } from 'vitest'
import {
  fullReport,
  hostileReport,
  reportOf,
  sampleCause,
  sampleCheck,
  sampleRequirement,
  seenOf,
} from '../../tests/support/samples.ts'
import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { withChanges } from '../verdict/changes.ts'
import { type Digest, digestOf, type MessageForm, type messageBodies, messagesOf } from './message.ts'
import { summaryOf } from './summary.ts'

/** Whether a body has the published type of its receiver, and no key that is unknown to this type. */
type IsTyped<Body, Published> = Body extends Published
  ? [Exclude<keyof Body, keyof Published>] extends [never]
    ? true
    : false
  : false
type Body<F extends MessageForm> = ReturnType<(typeof messageBodies)[F]>
const isTyped: [
  slack: IsTyped<Body<'slack'>, IncomingWebhookSendArguments>,
  discord: IsTyped<Body<'discord'>, RESTPostAPIWebhookWithTokenJSONBody>,
] = [true, true]

// The published schema has the key `id` of draft 4, which Ajv rejects.
const { id: _, ...cardSchema } = adaptiveCardSchema
const isCard = new Ajv({ strict: false, meta: false, validateSchema: false }).compile(cardSchema)

const link = 'https://ci.invalid/1'
const digests: Readonly<Record<string, Digest | undefined>> = {
  full: digestOf(fullReport, [], { link }),
  hostile: digestOf(hostileReport, [], { link }),
  long: digestOf(
    {
      ...fullReport,
      causes: Array.from({ length: 500 }, (_, n) => ({ ...sampleCause, id: `c${n}`, seen: seenOf('x'.repeat(900)) })),
    },
    [],
  ),
}

test('the bodies of Slack and Discord have the published types', () => expect(isTyped).toEqual([true, true]))

test.each(Object.entries(digests))('the published schema takes the card for Teams: %s', (_name, digest) => {
  const cards = messagesOf(digest as Digest, 'teams').flatMap(({ body }) => (body as Body<'teams'>).attachments)
  for (const { content } of cards) {
    isCard(content)
    expect(isCard.errors).toBeNull()
    expect(isCard({ ...content, body: [{ ...content.body[0], text: 7 }] })).toBe(false)
  }
})

test('a message names the number of lines that it leaves out', () =>
  expect(digests['long']?.lines.map(({ text }) => text).slice(10)).toEqual([
    expect.stringMatching(/^\d+ more: see the report/),
  ]))

const atDay = (day: number, exitCode: number, rest: object = {}) =>
  reportOf([sampleCheck], {
    startedAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
    exitCode,
    requirements: [sampleRequirement],
    ...rest,
  })
const broken = { exitCode: 1, causes: [sampleCause], requirements: [{ ...fullReport.requirements[1] }] } as never

const digestAfter = (report: Report, earlier: readonly RememberedRun[] = []) => {
  const { title, lines } = digestOf(withChanges(report, earlier), earlier) ?? {}
  const later = [title, ...(lines ?? [])].flatMap((line) => line?.later ?? [])
  return title && { title: title.text, lines: lines?.map(({ text }) => text), later }
}

describe('what a message says', () => {
  const calm = summaryOf(atDay(1, 0))
  const red = summaryOf(atDay(1, 1, broken))
  const passes = { checks: [{ ...sampleCheck, id: sampleCause.checks[0] }] } as object

  test('the first of several runs that conform has a message', () => {
    expect(digestAfter(atDay(1, 0))?.title).toMatch(/conforms/)
    expect(digestAfter(atDay(2, 0), [calm])).toBeUndefined()
  })

  test('a cause that does not fail the run is in one message', () => {
    const beyond = { causes: [{ ...sampleCause, source: 'supplement' }] }
    expect(digestAfter(atDay(2, 0, beyond), [calm])?.lines).toEqual([expect.stringMatching(/^New: POST /)])
    expect(digestAfter(atDay(3, 0, beyond), [calm, summaryOf(atDay(2, 0, beyond))])).toBeUndefined()
  })

  test('what broke, what is still broken since when, what is open and what is fixed', () => {
    expect(digestAfter(atDay(2, 1, broken), [calm])?.lines).toEqual([
      expect.stringMatching(/^New: POST .*: the list has no allowed referrers/),
    ])
    expect(digestAfter(atDay(2, 1, broken), [red])?.lines).toEqual([
      expect.stringMatching(/^Still: POST .* \(since 2026-01-01/),
    ])
    expect(digestAfter(atDay(2, 0), [red])?.lines).toEqual([
      expect.stringMatching(/^Open, not decided by this run: POST /),
    ])
    expect(digestAfter(atDay(2, 0, passes), [red])?.lines).toEqual([expect.stringMatching(/^Fixed: POST /)])
  })

  test('lines that no receiver took are in the next message, even if nothing changed since', () => {
    const { later = [] } = digestAfter(atDay(2, 1, broken), [calm]) ?? {}
    const lost = { ...summaryOf(atDay(2, 1, broken), [calm]), undelivered: later }
    expect(digestAfter(atDay(3, 0, passes), [calm, lost])?.lines).toEqual([
      expect.stringMatching(/^Fixed: POST /),
      expect.stringMatching(/^Not delivered at 2026-01-02 00:00 UTC: ✕ The/),
      expect.stringMatching(/^Not delivered at 2026-01-02 00:00 UTC: New: POST /),
    ])
  })

  test('a report that cannot be written is an error', () => {
    const digest = digestOf(atDay(2, 0), [calm], { file: 'host:/srv/index.html' }, 'The disk is full.')
    expect(digest?.title.text).toMatch(/^! /)
    expect(digest?.lines.map(({ text }) => text)).toEqual(['The disk is full.', 'Report: host:/srv/index.html'])
  })
})
