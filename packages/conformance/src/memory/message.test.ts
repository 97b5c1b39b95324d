import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { cause, check, full, hostile, reportOf } from '../../tests/support/samples.ts'
import { summaryOf } from './changes.ts'
import { bodyOf, type Digest, digestOf, type Form, forms } from './message.ts'

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const closed = (properties: Record<string, object>, rest: object = {}) => ({
  ...{ type: 'object', additionalProperties: false, required: Object.keys(properties), properties },
  ...rest,
})

/** The bodies as the receivers document them: incoming webhooks of Slack and Discord, and the workflow of Teams that posts a card. */
const shapes: Readonly<Record<Form, object>> = {
  slack: closed({ text: text(40_000) }),
  discord: closed({
    content: text(2_000),
    allowed_mentions: closed({
      parse: { type: 'array', items: { enum: ['roles', 'users', 'everyone'] }, maxItems: 0 },
    }),
  }),
  teams: closed({
    type: { const: 'message' },
    attachments: {
      ...{ type: 'array', minItems: 1, maxItems: 1 },
      items: closed({
        contentType: { const: 'application/vnd.microsoft.card.adaptive' },
        contentUrl: { type: 'null' },
        content: {
          ...{ type: 'object', additionalProperties: false, required: ['type', 'version', 'body'] },
          properties: {
            $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
            type: { const: 'AdaptiveCard' },
            version: { enum: ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'] },
            body: {
              type: 'array',
              items: closed(
                { type: { const: 'TextBlock' }, text: text(10_000), wrap: { type: 'boolean' } },
                {
                  properties: {
                    type: { const: 'TextBlock' },
                    text: text(10_000),
                    wrap: {},
                    weight: { enum: ['Bolder'] },
                    spacing: { enum: ['Small'] },
                  },
                },
              ),
            },
            actions: {
              type: 'array',
              items: closed({
                type: { const: 'Action.OpenUrl' },
                title: text(100),
                url: { type: 'string', pattern: '^https?://' },
              }),
            },
          },
        },
      }),
    },
  }),
}

const link = 'https://ci.invalid/1'
const digests: Readonly<Record<string, Digest | undefined>> = {
  full: digestOf(full, [], link),
  hostile: digestOf(hostile, [], link),
  long: digestOf(
    { ...full, causes: Array.from({ length: 500 }, (_, n) => ({ ...cause, id: `c${n}`, seen: 'x'.repeat(900) })) },
    [],
  ),
}

describe.each(forms)('the form of %s', (form) => {
  const isValid = new Ajv2020().compile(shapes[form])

  test.each(Object.keys(digests))('has the published shape: %s', (name) => {
    const body = bodyOf(digests[name] as Digest, form)
    isValid(body)
    expect(isValid.errors).toBeNull()
    expect(JSON.stringify(body).length).toBeLessThan(28_000)
  })

  test('a target can neither format, mention nor link', () => {
    const written = JSON.stringify(bodyOf(digests['hostile'] as Digest, form)).replaceAll(link, '')
    expect(written).not.toMatch(/@someone|https:\/\/evil|\[link\]/)
    if (form === 'slack') expect(written.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/)
  })
})

const atDay = (day: number, exitCode: number, rest: object = {}) =>
  reportOf([check], { startedAt: new Date(Date.UTC(2026, 0, day)).toISOString(), exitCode, ...rest })
const broken = { exitCode: 1, causes: [cause], requirements: [{ ...full.requirements[1] }] } as never

describe('what is told', () => {
  const calm = summaryOf(atDay(1, 0))
  const red = summaryOf(atDay(1, 1, broken))

  test('a run that conforms is told once', () => {
    expect(digestOf(atDay(1, 0), [])?.title).toMatch(/conforms/)
    expect(digestOf(atDay(2, 0), [calm])).toBeUndefined()
  })

  test('what broke, what is still broken since when, and what is fixed', () => {
    expect(digestOf(atDay(2, 1, broken), [calm])?.lines).toEqual([
      expect.stringMatching(/^New: POST .*: no allowed referrers/),
    ])
    expect(digestOf(atDay(2, 1, broken), [red])?.lines).toEqual([
      expect.stringMatching(/^Still: POST .* \(since 2026-01-01/),
    ])
    const holds = [{ ...full.requirements[1], outcome: 'pass' }]
    expect(digestOf(atDay(2, 0, { requirements: holds }), [red])?.lines).toEqual([
      expect.stringMatching(/^Fixed: POST /),
    ])
  })

  test('what no receiver took is told by the next run', () => {
    const untold = { ...red, untold: true }
    expect(digestOf(atDay(2, 1, broken), [calm, untold])?.lines).toEqual([expect.stringMatching(/^New: /)])
    expect(digestOf(atDay(3, 0), [calm, untold])?.title).toMatch(/conforms/)
  })
})
