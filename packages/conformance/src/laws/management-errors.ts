import type { Operation } from '@cdn/api/contract'
import { type Answer, describe, isSuccess, jsonOf, snippet } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext, Need } from '../check.ts'
import { expect, need, Skip } from '../failure.ts'
import { resourceOf } from '../resources.ts'
import { writes } from '../writes.ts'
import { type Drafted, draft, isListed, type Law } from './law.ts'

const fields = [
  { name: 'ErrorKey', slug: 'error-key' },
  { name: 'Field', slug: 'field' },
  { name: 'Message', slug: 'message' },
] as const

interface Provocation {
  readonly aspect: string
  readonly needs: readonly Need[]
  send(context: CheckContext): Promise<Answer>
}

/** An error body is a JSON object whose ErrorKey, Field and Message are strings (§2), all three on add (§7). */
export const managementErrors: Law = (operation) => {
  const resource = resourceOf(operation)
  if (operation.interface !== 'management' || !resource) return []
  const provocations = provocationsOf(operation, resource)
  return [
    ...provocations.flatMap((provocation) => shapes(operation, provocation)),
    ...provocations
      .filter(({ aspect }) => aspect === 'invalid-body' && isListed(operation, 'error-body'))
      .map((provocation) => carriesAll(operation, provocation)),
  ]
}

function provocationsOf(operation: Operation, resource: NonNullable<ReturnType<typeof resourceOf>>): Provocation[] {
  const { present, absent } = resource
  const all: Provocation[] = [
    {
      aspect: 'no-credential',
      needs: [present, 'credentials.accessKey'],
      send: async (context) =>
        call(context, operation, { ...(await prepare(context, operation)), credential: undefined }),
    },
    {
      aspect: 'absent-id',
      needs: [present, absent, 'credentials.accessKey'],
      send: async (context) =>
        call(context, operation, {
          ...(await prepare(context, operation)),
          path: { id: need(context.fixtures[absent], absent) },
        }),
    },
  ]
  if (operation.requestBody?.content['application/json']) {
    all.push({
      aspect: 'invalid-body',
      needs: [present, 'credentials.accessKey'],
      send: async (context) => call(context, operation, { ...(await prepare(context, operation)), body: [] }),
    })
  }
  return all
}

async function prepare(context: CheckContext, operation: Operation) {
  return writes[operation.name]?.prepare(context)
}

function shapes(operation: Operation, { aspect, needs, send }: Provocation): Drafted[] {
  const body = async (context: CheckContext): Promise<Record<string, unknown>> => {
    const answer = await send(context)
    if (isSuccess(answer)) throw new Skip(`no error to look at: ${describe(answer)}`)
    if (answer.text === '') throw new Skip('the error has no body, which the document allows')
    const parsed = jsonOf(answer)
    expect(
      typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed),
      'a JSON object as error body',
      snippet(answer.text),
    )
    return parsed as Record<string, unknown>
  }
  return [
    draft(operation, {
      slug: 'errors.object',
      topic: 'errors.object',
      aspect,
      needs,
      text: 'An error body is a JSON object.',
      run: async (context) => void (await body(context)),
    }),
    ...fields.map(({ name, slug }) =>
      draft(operation, {
        slug: `errors.${slug}`,
        topic: `errors.${slug}`,
        aspect,
        needs,
        text: `${name} of an error body is a string.`,
        run: async (context) => {
          const value = (await body(context))[name]
          expect(
            value === undefined || typeof value === 'string',
            `${name} as a string`,
            `${name}: ${JSON.stringify(value)}`,
          )
        },
      }),
    ),
  ]
}

function carriesAll(operation: Operation, { aspect, needs, send }: Provocation): Drafted {
  return draft(operation, {
    slug: 'error-body',
    aspect,
    needs,
    text: 'The error body carries ErrorKey, Field and Message.',
    run: async (context) => {
      const answer = await send(context)
      if (isSuccess(answer)) throw new Skip(`no error to look at: ${describe(answer)}`)
      const body = jsonOf(answer) as Record<string, unknown> | null
      const absentFields = fields.filter(({ name }) => typeof body?.[name] !== 'string').map(({ name }) => name)
      expect(
        absentFields.length === 0,
        'ErrorKey, Field and Message as strings',
        `${absentFields.join(', ')} missing or no string`,
      )
    },
  })
}
