import type { IncomingWebhookSendArguments } from '@slack/webhook'
import { adaptiveCardSchema } from 'adaptivecards-designer/lib/adaptive-card-schema.js'
import { Ajv } from 'ajv'
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import { describe, expect, test } from 'vitest'
import { cause, check, full, hostile, reportOf, requirement, seenOf } from '../../tests/support/samples.ts'
import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { withChanges } from '../verdict/changes.ts'
import { bodies, type Digest, digestOf, type Form, forms } from './message.ts'
import { summaryOf } from './summary.ts'

/** Whether a body has the published type of its receiver, and no key that is unknown to this type. */
type IsTyped<Body, Published> = Body extends Published
  ? [Exclude<keyof Body, keyof Published>] extends [never]
    ? true
    : false
  : false
type Body<F extends Form> = ReturnType<(typeof bodies)[F]>
const isTyped: [
  slack: IsTyped<Body<'slack'>, IncomingWebhookSendArguments>,
  discord: IsTyped<Body<'discord'>, RESTPostAPIWebhookWithTokenJSONBody>,
] = [true, true]

// The published schema has the key `id` of draft 4, which Ajv rejects.
const { id: _, ...cardSchema } = adaptiveCardSchema
const isCard = new Ajv({ strict: false, meta: false, validateSchema: false }).compile(cardSchema)

const link = 'https://ci.invalid/1'
const digests: Readonly<Record<string, Digest | undefined>> = {
  full: digestOf(full, [], { link }),
  hostile: digestOf(hostile, [], { link }),
  long: digestOf(
    {
      ...full,
      causes: Array.from({ length: 500 }, (_, n) => ({ ...cause, id: `c${n}`, seen: seenOf('x'.repeat(900)) })),
    },
    [],
  ),
}

test('the bodies of Slack and Discord have the published types', () => expect(isTyped).toEqual([true, true]))

test.each(Object.entries(digests))('the published schema takes the card for Teams: %s', (_name, digest) => {
  const { attachments } = bodies.teams(digest as Digest)
  for (const { content } of attachments) {
    isCard(content)
    expect(isCard.errors).toBeNull()
    expect(isCard({ ...content, body: [{ ...content.body[0], text: 7 }] })).toBe(false)
  }
})

describe.each(forms)('the form of %s', (form) => {
  test('is short enough, whatever the number of causes', () => {
    const body = JSON.stringify(bodies[form](digests['long'] as Digest))
    expect(body.length).toBeLessThan({ slack: 40_000, discord: 2_100, teams: 28_000 }[form])
    expect(body).toContain('more: see the report.')
  })

  test('a target can neither format, mention nor link', () => {
    const written = JSON.stringify(bodies[form](digests['hostile'] as Digest)).replaceAll(link, '')
    expect(written).not.toMatch(/@someone|https:\/\/evil|\[link\]/)
    if (form === 'slack') expect(written.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/)
  })
})

const atDay = (day: number, exitCode: number, rest: object = {}) =>
  reportOf([check], {
    startedAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
    exitCode,
    requirements: [requirement],
    ...rest,
  })
const broken = { exitCode: 1, causes: [cause], requirements: [{ ...full.requirements[1] }] } as never

const digestAfter = (report: Report, earlier: readonly RememberedRun[] = []) =>
  digestOf(withChanges(report, earlier), earlier)

describe('what a message says', () => {
  const calm = summaryOf(atDay(1, 0))
  const red = summaryOf(atDay(1, 1, broken))
  const passes = { checks: [{ ...check, id: cause.checks[0] }] } as object

  test('a run that conforms has one message', () => {
    expect(digestAfter(atDay(1, 0))?.title).toMatch(/conforms/)
    expect(digestAfter(atDay(2, 0), [calm])).toBeUndefined()
  })

  test('a cause that does not fail the run has one message', () => {
    const beyond = { causes: [{ ...cause, source: 'supplement' }] }
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

  test('what no receiver took is in the next message, also if nothing changed since', () => {
    const { news = [] } = digestAfter(atDay(2, 1, broken), [calm]) ?? {}
    const lost = { ...summaryOf(atDay(2, 1, broken), [calm]), undelivered: [...news] }
    expect(digestAfter(atDay(3, 0, passes), [calm, lost])?.lines).toEqual([
      expect.stringMatching(/^Fixed: POST /),
      expect.stringMatching(/^Not delivered at 2026-01-02 00:00 UTC: ✕ The/),
      expect.stringMatching(/^Not delivered at 2026-01-02 00:00 UTC: New: POST /),
    ])
  })

  test('a report that cannot be written is an error', () => {
    const digest = digestOf(atDay(2, 0), [calm], { file: 'host:/srv/index.html' }, 'The disk is full.')
    expect(digest?.title).toMatch(/^! /)
    expect(digest?.lines).toEqual(['The disk is full.', 'Report: host:/srv/index.html'])
  })
})
