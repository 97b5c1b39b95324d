import type { Operation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { describeResponse, isSuccess, jsonOf, type ReceivedResponse, snippet } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext, Need } from '../../core/check.ts'
import { expect, need, Skip } from '../../core/failure.ts'
import { pathTo, resourceOf } from '../resources.ts'
import { guardedRequest, sendRefusable } from '../writes.ts'
import { type ContractChecks, type Drafted, draft, isListed } from './contract-checks.ts'

const fields = [
  { name: 'ErrorKey', slug: 'error-key' },
  { name: 'Field', slug: 'field' },
  { name: 'Message', slug: 'message' },
] as const

/** A part of its own, because errors of the supplement's operations prove nothing about the spec's operations. */
const specOperations = 'the operations of the spec'

interface Provocation {
  readonly aspect: string
  readonly needs: readonly Need[]
  send(context: CheckContext): Promise<ReceivedResponse>
}

/**
 * An error body is a JSON object with the strings ErrorKey, Field and Message (§2). An error of `add` has all three
 * (§7).
 */
export const managementErrors: ContractChecks = (operation) => {
  const resource = resourceOf(operation)
  if (operation.interface !== 'management' || !resource) return []
  const provocations = provocationsOf(operation, resource)
  return [
    ...provocations.flatMap((provocation) => shapes(operation, provocation)),
    ...provocations
      .filter(() => isListed(operation, 'error-body'))
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
        call(context, operation, { ...(await guardedRequest(context, operation)), credential: undefined }),
    },
    {
      aspect: 'absent-id',
      needs: [present, absent, 'credentials.accessKey'],
      send: async (context) =>
        call(context, operation, {
          ...(await guardedRequest(context, operation)),
          path: pathTo(operation, need(context.fixtures[absent], absent)),
        }),
    },
  ]
  if (operation.requestBody?.content['application/json']) {
    all.push({
      aspect: 'invalid-body',
      needs: [present, 'credentials.accessKey'],
      send: async (context) => {
        const request = await guardedRequest(context, operation)
        const answers: ReceivedResponse[] = []
        await sendRefusable(context, operation, [[]], async (body) => {
          answers.push(await call(context, operation, { ...request, body }))
        })
        return need(answers[0], 'answer')
      },
    })
  }
  return all
}

function shapes(operation: Operation, { aspect, needs, send }: Provocation): Drafted[] {
  const body = async (context: CheckContext) => {
    const answer = await send(context)
    if (isSuccess(answer)) throw new Skip(`no error to check: ${describeResponse(answer)}`)
    if (answer.text === '') throw new Skip('the error has no body (supplement: errors often come without one)')
    const parsed = jsonOf(answer)
    expect(isRecord(parsed), 'a JSON object as error body', snippet(answer.text))
    return parsed
  }
  return [
    draft(operation, {
      slug: 'errors.object',
      topic: 'errors.object',
      part: specOperations,
      aspect,
      needs,
      text: 'An error body is a JSON object.',
      run: async (context) => {
        const errorBody = await body(context)
        // Each field is optional (supplement), but an object without any of them is not an error body of the
        // platform.
        const isOurs = fields.some(({ name }) => name in errorBody)
        expect(
          isOurs,
          'an object with ErrorKey, Field or Message',
          `the fields ${Object.keys(errorBody).join(', ') || '(none)'}`,
        )
      },
    }),
    ...fields.map(({ name, slug }) =>
      draft(operation, {
        slug: `errors.${slug}`,
        topic: `errors.${slug}`,
        part: specOperations,
        aspect,
        needs,
        text: `${name} of an error body is a string.`,
        run: async (context) => {
          const value = (await body(context))[name]
          if (value === undefined) throw new Skip(`the error body has no ${name}`)
          expect(typeof value === 'string', `${name} as a string`, `${name}: ${JSON.stringify(value)}`)
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
      if (isSuccess(answer)) throw new Skip(`no error to check: ${describeResponse(answer)}`)
      const body = toRecord(jsonOf(answer))
      const absentFields = fields.filter(({ name }) => typeof body[name] !== 'string').map(({ name }) => name)
      expect(
        absentFields.length === 0,
        'ErrorKey, Field and Message as strings',
        `${absentFields.join(', ')} missing or not a string`,
      )
    },
  })
}
