import type { Operation, Schema } from '@cdn/api/contract'
import { describe, expectRefused, expectStatus, expectSuccess, prepared } from '../answer.ts'
import { call, type Request } from '../call.ts'
import { expect } from '../failure.ts'
import { operationOf } from '../resources.ts'
import { writes } from '../writes.ts'
import { type Drafted, draft, type Law, needsOf, toSlug } from './law.ts'

/** One way in which a body breaks its schema; everything else about the request is right. */
interface Broken {
  readonly slug: string
  readonly text: string
  /** `supplement` where only the overlay says that this is wrong. */
  readonly through?: 'supplement'
  body(valid: Readonly<Record<string, unknown>>): unknown
}

/** A body that breaks its schema is refused and changes nothing (§4, §8). */
export const requestBody: Law = (operation) => {
  const schema = operation.requestBody?.content['application/json']
  const write = writes[operation.name]
  if (!schema || !write) return []
  const ways = brokenBodies(schema, operation.documented?.requestBody?.content['application/json'])
  const statesBadRequest = operation.responses.some(({ status }) => status === '400')
  return [
    ...shortestBodies(schema).map((shortest) => accepted(operation, shortest)),
    ...ways.flatMap((broken) => [
      refused(operation, broken),
      withoutEffect(operation, broken),
      ...(statesBadRequest ? [answered400(operation, broken)] : []),
    ]),
  ]
}

/**
 * All single faults of a JSON object body (none for a body of another kind): no object, and for each property the wrong type, too short, missing.
 *
 * @param schema the schema of the full contract
 * @param documented the schema of the document, which tells what is its own claim
 */
export function brokenBodies(schema: Schema, documented: Schema | undefined): Broken[] {
  if (schema['type'] !== 'object') return []
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const inDocument = (documented?.['required'] ?? []) as readonly string[]
  const required = (schema['required'] ?? []) as readonly string[]
  return [
    {
      slug: 'request-object',
      text: 'A request body that is no JSON object changes nothing.',
      body: (valid) => [valid],
    },
    ...properties.flatMap(([name, property]): Broken[] => [
      ...(property['type'] === 'string'
        ? [
            {
              slug: `${toSlug(name)}-type`,
              text: `A ${name} that is no string changes nothing.`,
              body: replaced(name, 17),
            },
          ]
        : []),
      ...(typeof property['minLength'] === 'number' && property['minLength'] > 0
        ? [
            {
              slug: `${toSlug(name)}-length`,
              text: `A ${name} shorter than ${property['minLength']} changes nothing.`,
              body: replaced(name, 'x'.repeat(property['minLength'] - 1)),
            },
          ]
        : []),
      ...(required.includes(name)
        ? [
            {
              slug: `${toSlug(name)}-required`,
              text: `A request without ${name} changes nothing.`,
              ...(!inDocument.includes(name) && { through: 'supplement' as const }),
              body: ({ [name]: _, ...others }: Readonly<Record<string, unknown>>) => others,
            },
          ]
        : []),
    ]),
  ]
}

/** For each string with a minimum length, a body in which it is exactly so long. */
function shortestBodies(schema: Schema): Broken[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  return properties.flatMap(([name, { minLength }]) =>
    typeof minLength === 'number' && minLength > 0
      ? [
          {
            slug: `${toSlug(name)}-length`,
            text: `A ${name} of ${minLength} is long enough.`,
            body: replaced(name, 'x'.repeat(minLength)),
          },
        ]
      : [],
  )
}

/** On a live target all hostnames end in one reserved domain, so only a target of our own is sent one so short. */
function accepted(operation: Operation, shortest: Broken): Drafted {
  return draft(operation, {
    slug: shortest.slug,
    aspect: 'shortest',
    text: shortest.text,
    needs: [...needsOf(operation), 'virtual-clock'],
    run: async (context) => {
      const request = breakBody((await writes[operation.name]?.prepare(context)) ?? {}, shortest)
      // Taking away what is not there may be refused (not shown), so it is added first.
      const add = operationOf('add-allowed-referrer')
      if (operation !== add) prepared(await call(context, add, request), 'adding a short hostname')
      expectSuccess(await call(context, operation, request))
    },
  })
}

function replaced(name: string, value: unknown): Broken['body'] {
  return (valid) => ({ ...valid, [name]: value })
}

function breakBody(request: Request, broken: Broken): Request {
  return { ...request, body: broken.body(request.body as Record<string, unknown>) }
}

function refused(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: broken.slug,
    text: broken.text,
    ...(broken.through && { through: broken.through }),
    run: async (context) => {
      const request = await writes[operation.name]?.prepare(context)
      expectRefused(await call(context, operation, breakBody(request ?? {}, broken)))
    },
  })
}

function withoutEffect(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: broken.slug,
    aspect: 'no-effect',
    text: broken.text,
    through: 'supplement',
    run: async (context) => {
      const write = writes[operation.name]
      const request = (await write?.prepare(context)) ?? {}
      const before = JSON.stringify(await write?.state?.(context))
      const answer = await call(context, operation, breakBody(request, broken))
      const after = JSON.stringify(await write?.state?.(context))
      expect(after === before, `no effect (${before})`, `${after} after ${describe(answer)}`)
    },
  })
}

function answered400(operation: Operation, broken: Broken): Drafted {
  return draft(operation, {
    slug: '400',
    aspect: broken.slug,
    text: 'A request that is not valid is answered 400.',
    run: async (context) => {
      const request = await writes[operation.name]?.prepare(context)
      expectStatus(await call(context, operation, breakBody(request ?? {}, broken)), 400)
    },
  })
}
