/** Lenient servers that make a hostname of almost any body. A live run undoes the effect, whatever hostname it is. */

import { toRecord } from '@cdn/kit/record'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { expect, test } from 'vitest'
import { runLive } from '../support/live-run.ts'
import { bodyOf, keepBody, withBody } from './alter.ts'
import { mutant, on } from './mutant.ts'

const servers: Readonly<Record<string, (body: unknown) => unknown>> = {
  'the text of anything': (body) => (isObject(body) ? String(body['Hostname']) : String(body)),
  'the first member of a list': (body) =>
    Array.isArray(body) ? body[0] : isObject(body) ? first(body['Hostname']) : body,
  'the first property, whatever its name': (body) => (isObject(body) ? Object.values(body)[0] : body),
  'a generated name for a missing one': (body) => (isObject(body) && body['Hostname']) || 'missing.invalid',
}

test.each(Object.entries(servers).slice(0, propertyRuns(1)))(
  '%s as Hostname: the state before and after are equal',
  async (name, read) => {
    const accepted: unknown[] = []
    const coercing = on(['add-allowed-referrer'], () => async (received, operation, next) => {
      const call = keepBody(received)
      const body = await bodyOf(call)
      const hostname = read(body)
      const isUsable = typeof hostname === 'string' && hostname !== ''
      const response = await next(isUsable ? withBody(call, { Hostname: hostname }) : call, operation)
      if (response.status < 300 && typeof toRecord(body)['Hostname'] !== 'string') accepted.push(body)
      return response
    })
    const { isRestored, report } = await runLive(
      {
        name,
        traffic: 'planted',
        break: mutant(name, name, [], coercing).apply,
      },
      { select: ({ effect }) => effect !== 'read' },
    )
    expect(isRestored).toBe(true)
    expect(report.checks.some(({ outcome }) => outcome === 'fail')).toBe(true)
    expect(accepted.length).toBeGreaterThan(0)
  },
  300_000,
)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}
