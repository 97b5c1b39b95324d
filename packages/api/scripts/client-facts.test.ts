import { expect, test } from 'vitest'
import type { Contract } from '../src/contract/model.ts'
import { clientFacts } from './client-facts.ts'

const content = (...types: string[]) => ({ content: Object.fromEntries(types.map((type) => [type, {}])) })

test.each([
  [{ 200: content('application/json'), 404: {} }, undefined],
  [
    { 200: content('text/plain', 'application/json'), 400: content('application/problem+json') },
    'application/json, text/plain, application/problem+json',
  ],
  [
    { 200: content('application/octet-stream'), 404: content('application/json') },
    'application/octet-stream, application/json, */*;q=0.5',
  ],
  [{ 204: {}, 400: content('application/problem+json') }, 'application/problem+json'],
])('media types of successes come first, then of errors, JSON first in each: %j', (responses, accept) => {
  const stated = Object.entries<{ content?: object }>(responses).map(([status, { content = {} }]) => ({
    status,
    content,
    description: '',
  }))
  const operation = { method: 'get', path: '/a', schemes: ['key'], effect: 'read', responses: stated }
  const contract = { schemes: [], operations: [operation] } as unknown as Contract // only the parts that decide
  expect(clientFacts(contract).operations['GET /a']?.accept).toBe(accept)
})
