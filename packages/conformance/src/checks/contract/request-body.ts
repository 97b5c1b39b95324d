import type { Operation, Schema } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import {
  describeResponse,
  expectRefused,
  expectStatus,
  expectSuccess,
  isSuccess,
  prepared,
  type ReceivedResponse,
  skipIfServerFailed,
} from '../../core/answer.ts'
import { call, type Request } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { Skip } from '../../core/failure.ts'
import { operationOf } from '../resources.ts'
import { attempt, confirmed, failOn } from '../state/attempt.ts'
import { currentState, itemsFor, validChange } from '../state/requests.ts'
import { guardedRequest, preparedRequest, sendRefusable, writeOf } from '../writes.ts'
import { type ContractChecks, type Drafted, draft, needsOf, toSlug } from './contract-checks.ts'

/** One way in which a body breaks its schema. The rest of the request is valid. */
interface Broken {
  readonly slug: string
  readonly text: string
  /** `supplement` if only the overlay makes this body invalid. */
  readonly basis?: 'supplement'
  bodies(valid: Readonly<Record<string, unknown>>): readonly unknown[]
}

/** A body that breaks its schema is refused and changes nothing (§4, §8). */
export const requestBody: ContractChecks = (operation) => {
  const schema = operation.requestBody?.content['application/json']
  const write = writeOf(operation)
  if (!schema || !write) return []
  const ways = brokenBodies(schema, operation.documented?.requestBody?.content['application/json'])
  const statesBadRequest = operation.responses.some(({ status }) => status === '400')
  return [
    ...minLengthBodies(schema).map((body) => accepted(operation, body)),
    ...ways.flatMap((broken) => [
      refused(operation, broken),
      withoutEffect(operation, broken),
      ...(statesBadRequest ? [answered400(operation, broken)] : []),
    ]),
  ]
}

/**
 * Returns all single faults of a JSON object body. The body is not an object, or one property has the wrong type, is too
 * short, or is missing. Empty if the schema does not require a JSON object.
 *
 * @param schema the schema of the full contract
 * @param documented the schema of the spec; a fault that breaks this schema has the basis `spec`
 */
export function brokenBodies(schema: Schema, documented: Schema | undefined): Broken[] {
  const { type, properties = {}, required = [] } = schema
  if (type !== 'object') return []
  return [
    {
      slug: 'request-object',
      text: 'A request body that is not a JSON object changes nothing.',
      bodies: (valid) => [[valid], String(Object.values(valid)[0])],
    },
    ...Object.entries(properties).flatMap(([name, property]): Broken[] => [
      ...(property.type === 'string'
        ? [
            {
              slug: `${toSlug(name)}-type`,
              text: `A ${name} that is not a string changes nothing.`,
              bodies: replaced(name, 17, true, null),
            },
          ]
        : []),
      ...(property.minLength
        ? [
            {
              slug: `${toSlug(name)}-length`,
              text: `A ${name} shorter than ${property.minLength} changes nothing.`,
              bodies: replaced(name, 'x'.repeat(property.minLength - 1)),
            },
          ]
        : []),
      ...(required.includes(name)
        ? [
            {
              slug: `${toSlug(name)}-required`,
              text: `A request without ${name} changes nothing.`,
              ...(!documented?.required?.includes(name) && { basis: 'supplement' as const }),
              bodies: ({ [name]: _, ...others }: Readonly<Record<string, unknown>>) => [others],
            },
          ]
        : []),
    ]),
  ]
}

/** Returns one body for each string with a minimum length. The string has exactly this length. */
function minLengthBodies({ properties = {} }: Schema): Broken[] {
  return Object.entries(properties).flatMap(([name, { minLength }]) =>
    minLength
      ? [
          {
            slug: `${toSlug(name)}-length`,
            text: `A ${name} of ${minLength} is long enough.`,
            bodies: replaced(name, 'x'.repeat(minLength)),
          },
        ]
      : [],
  )
}

/**
 * A body with a string of minimum length is accepted. It is sent only to disposable targets. On a live target, all
 * hostnames end in one reserved domain, which makes them longer.
 */
function accepted(operation: Operation, { slug, text, bodies }: Broken): Drafted {
  return draft(operation, {
    slug,
    aspect: 'minLength',
    text,
    needs: [...needsOf(operation), 'virtual-clock'],
    run: async (context) => {
      const valid = await preparedRequest(context, operation)
      const [body] = bodies(toRecord(valid?.body))
      const request = { ...valid, body }
      // The server may refuse to delete an absent hostname (unspecified), so add it first.
      const add = operationOf('add-allowed-referrer')
      if (operation !== add) prepared(await call(context, add, request), 'adding a short hostname')
      expectSuccess(await call(context, operation, request))
    },
  })
}

function replaced(name: string, ...values: readonly unknown[]): Broken['bodies'] {
  return (valid) => values.map((value) => ({ ...valid, [name]: value }))
}

/** Encodes a string as JSON, because `call` sends strings unchanged. */
function toJson(body: unknown): unknown {
  return typeof body === 'string' ? JSON.stringify(body) : body
}

/** Sends all bodies that break the rule, and verifies each answer. */
async function sendBroken(
  context: CheckContext,
  operation: Operation,
  broken: Broken,
  verify: (answer: ReceivedResponse, sent: unknown) => void,
): Promise<Request> {
  const request = await guardedRequest(context, operation)
  const bodies = broken.bodies(toRecord(request.body))
  await sendRefusable(context, operation, bodies, async (body) =>
    verify(await call(context, operation, { ...request, body: toJson(body) }), body),
  )
  return request
}

function refused(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: broken.slug,
    text: broken.text,
    ...(broken.basis && { basis: broken.basis }),
    run: async (context) => {
      const answers: ReceivedResponse[] = []
      const request = await sendBroken(context, operation, broken, (answer) => {
        expectRefused(answer)
        answers.push(answer)
      })
      skipIfServerFailed(...answers)
      // A server that refuses every request does not validate the body.
      const control = await call(context, operation, request)
      if (!isSuccess(control))
        throw new Skip(`inconclusive: a valid body is refused, too (${describeResponse(control)})`)
    },
  })
}

function withoutEffect(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: broken.slug,
    aspect: 'no-effect',
    text: broken.text,
    basis: 'supplement',
    run: confirmed(async (context) => {
      const write = writeOf(operation)
      if (!write) throw new Skip(`the suite cannot see what ${operation.name} changes`)
      const items = await itemsFor(context, write)
      const valid = await validChange(context, write, items)
      const before = await currentState(context, items)
      for (const body of broken.bodies(toRecord(valid.body))) {
        const request = { ...valid, body: toJson(body) }
        failOn(
          await attempt(context, { operation: write, items, request, rule: 'refused' }, before),
          'effect',
          'rest',
          'other-items',
        )
      }
    }),
  })
}

function answered400(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: '400',
    aspect: broken.slug,
    text: 'A request that is not valid is answered 400.',
    run: async (context) => {
      await sendBroken(context, operation, broken, (answer) => expectStatus(answer, 400))
    },
  })
}
