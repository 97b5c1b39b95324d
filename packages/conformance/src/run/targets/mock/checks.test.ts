import { contracts, type OpenApi, type Operation, operations, parseContract } from '@cdn/api/contract'
import { expect, onTestFinished, test } from 'vitest'
import { runCheck } from '../../run-check.ts'
import { createMockTarget } from '../mock.ts'
import { mockChecks } from './checks.ts'

const sid = { type: 'string', pattern: '^AC[0-9a-f]{32}$' }
const fields = {
  type: 'object',
  required: ['name', 'sid'],
  properties: { name: { type: 'string' }, sid, tags: { type: 'object' } },
}
const json = (schema: object) => ({ description: 'Done.', content: { 'application/json': { schema } } })

/** Adds an operation to the management interface, and returns the results of its checks on the mock, by the last part of their ids. */
async function checkOnMock(requestBody: object | undefined, response: object): Promise<Record<string, unknown>> {
  const { management } = contracts
  const post = {
    'x-name': 'make-thing',
    'x-effect': 'write',
    tags: ['Pull Zone'],
    summary: 'Make a thing',
    parameters: [{ name: 'sid', in: 'path', required: true, schema: sid }],
    ...(requestBody && { requestBody: { required: true, content: requestBody } }),
    responses: { 200: json(response) },
  }
  // The parts that the model needs are there.
  const full = { ...management.openapi.full, paths: { '/thing/{sid}': { post } } } as unknown as OpenApi
  const parsed = parseContract('management', full, full)
  const all = operations as Operation[] // an array at run time
  const kept = { ...management }
  Object.assign(management, { openapi: parsed.openapi, operations: parsed.operations })
  all.push(...parsed.operations)
  onTestFinished(() => {
    all.pop()
    Object.assign(management, kept)
  })
  const target = await createMockTarget()
  onTestFinished(() => target.close?.())
  const { signal } = new AbortController()
  const checks = mockChecks(['management'])
    .map(({ check }) => check)
    .filter(({ id }) => id.includes('.make-thing.'))
  const runs = checks.map(async (check) => {
    const { result } = await runCheck(check, await target.open(check, signal), { signal })
    return [String(check.id.split('.').at(-1)), result.message ?? result.outcome] as const
  })
  return Object.fromEntries(await Promise.all(runs))
}

test('a response without an example matches its schema', async () => {
  const results = await checkOnMock(undefined, {
    type: 'object',
    required: ['result', 'sid'],
    // Prism merges parts of `allOf` only if they state their type.
    properties: {
      sid,
      result: {
        allOf: [
          { required: ['a'], properties: { a: { type: 'string' } } },
          { required: ['b'], properties: { b: { type: 'integer' } } },
        ],
      },
    },
  })
  expect(results).toEqual({ 200: 'pass', 'no-credential': 'pass' })
})

test('an invalid example in the contract fails', async () => {
  const results = await checkOnMock(undefined, { type: 'integer', example: 'seven' })
  expect(results['200']).toContain('must be integer')
})

test('a form is sent, except with nested values', async () => {
  const form = 'application/x-www-form-urlencoded'
  expect(await checkOnMock({ [form]: { schema: fields } }, { type: 'object' })).toMatchObject({ 200: 'pass' })
  const nested = { ...fields, required: ['tags'] }
  expect(await checkOnMock({ [form]: { schema: nested } }, { type: 'object' })).toMatchObject({
    200: `the client does not support nested values in ${form}`,
  })
})
