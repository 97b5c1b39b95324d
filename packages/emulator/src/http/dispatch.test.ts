import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { alter, start } from '../../tests/support/start.ts'
import { handlers } from '../platform/handlers.ts'

describe('dispatch by the contract', () => {
  test('has an operation for every handler', async () => {
    const files = (await readdir(join(import.meta.dirname, '../platform/handlers'))).filter(
      (file) => !file.endsWith('.test.ts'),
    )
    expect(files.length).toBeGreaterThan(1)
    expect(files.sort()).toEqual([...handlers.keys()].map((name) => `${name}.ts`).sort())
    expect(operations.filter(({ name }) => handlers.has(name))).toHaveLength(handlers.size)
  })

  test('returns 501 for an operation without a handler, whose effect the contract does not state', async () => {
    const { emulator, ask } = await start()
    emulator.faults.add(alter(({ action: _action, ...operation }) => ({ ...operation, name: 'not-written-yet' })))
    expect((await ask.management('pullzone/2001')).status).toBe(501)
  })

  test('reads a list from repeated parameters, and accepts an omitted optional body', async () => {
    const { emulator, ask } = await start()
    const ids = { name: 'ids', in: 'query', required: true, description: '', source: 'supplement' } as const
    const schema = { type: 'array', items: { type: 'integer', format: 'int64' }, maxItems: 2 }
    const requestBody = { required: false, content: { 'application/json': { type: 'object' } } }
    emulator.faults.add(
      alter((operation) => ({ ...operation, requestBody, parameters: [...operation.parameters, { ...ids, schema }] })),
    )
    const statusOf = async (query: string) => (await ask.management(`pullzone/2001?${query}`)).status
    expect(await statusOf('ids=1&ids=9007199254740993')).toBe(200)
    for (const query of ['ids=1&ids=x', 'ids=1&ids=2&ids=3', '']) expect(await statusOf(query)).toBe(400)
  })

  test('returns 501 for an unknown operation, with a sentence and a violation', async () => {
    const { emulator, ask } = await start()
    const unknown = [
      ['POST', 'pullzone/2001/purgeCache'],
      ['POST', 'pullzone/2001'],
      ['GET', 'user'],
      ['PATCH', 'videolibrary/1001/watermark'],
      ['GET', ''],
    ] as const
    for (const [method, path] of unknown) {
      const response = await ask.management(path, { method })
      expect([response.status, await response.json()]).toEqual([
        501,
        { message: 'The emulator does not know this operation: see its violation in the journal.' },
      ])
    }
    expect((await ask.logging('v2/pullzones/2002/logs', { method: 'POST' })).status).toBe(501)
    expect(emulator.journal.violations.map(({ name, entry }) => `${name} ${entry.method} ${entry.path}`)).toEqual([
      ...unknown.map(([method, path]) => `unknown-operation ${method} /${path}`),
      'unknown-operation POST /v2/pullzones/2002/logs',
    ])
  })

  test('returns 404 for a path in another case or with a trailing slash', async () => {
    const { ask } = await start()
    const management = await ask.management('PullZone/2001')
    expect([management.status, await management.text()]).toEqual([404, ''])
    const logging = await ask.logging('v2/pullzones/2002/logs/')
    expect([logging.status, await logging.json()]).toEqual([
      404,
      { error: { code: 'not_found', message: 'The path does not exist.' } },
    ])
  })

  test.for([
    ['management', 'pullzone?page=1&perPage=1', 400, 'perPage takes an integer from 5 to 1000'],
    ['management', 'videolibrary/languages', 404, 'id takes an integer'],
    ['logging', 'v2/pullzones/2002/logs?order=up', 400, 'order takes one of asc, desc'],
    ['logging', 'v2/pullzones/2002/logs?from=x', 400, 'from takes a date and time with a time zone'],
    ['logging', 'v2/pullzones/2002/logs?includeOriginShield=1', 400, 'includeOriginShield takes true or false'],
    ['logging', 'v2/pullzones/2002/logs?offset=-1', 400, 'offset takes an integer from 0'],
  ] as const)('names the accepted values: %s %s', async ([name, path, status, sentence]) => {
    const { ask } = await start({ variants: { errorBodies: 'present' } })
    const response = await ask[name](path)
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(`The parameter ${sentence}`),
    ])
  })

  test('refuses to fetch from other origins', async () => {
    const { emulator } = await start()
    await expect(emulator.fetch('https://example.com/')).rejects.toThrow(TypeError)
  })

  test('applies a changed retention', async () => {
    const { emulator, ask } = await start()
    emulator.faults.add(alter((operation) => ({ ...operation, retentionMs: hourMs })))
    const now = emulator.clock.now().getTime()
    const from = (ms: number) => ask.logging(`v2/pullzones/2002/logs?from=${new Date(now - ms).toISOString()}`)
    expect((await from(hourMs)).status).toBe(200)
    expect((await from(hourMs + 1)).status).toBe(400)
  })

  test('applies the rate limit per zone over both versions, until the window has passed', async () => {
    const { emulator, ask } = await start()
    const limit = defined(operations.find(({ name }) => name === 'query-logs')?.rateLimit)
    const statuses: number[] = []
    const paths = ['v2/pullzones/2002/logs?limit=1', '06-17-26/2002.log?end=1'] as const
    for (let count = 0; count < 40; count++) statuses.push((await ask.logging(defined(paths[count % 2]))).status)
    expect(statuses.indexOf(429)).toBe(limit.requests)
    expect(new Set(statuses.slice(limit.requests))).toEqual(new Set([429]))
    const refused = await ask.logging(paths[0])
    expect([await refused.json(), refused.headers.get('retry-after')]).toMatchObject([
      { error: { code: 'rate_limited' } },
      null,
    ])
    expect((await ask.logging('v2/pullzones/2003/logs')).status).toBe(200)
    emulator.clock.advance(limit.windowMs - 1)
    expect((await ask.logging(paths[1])).status).toBe(429)
    emulator.clock.advance(1)
    expect((await ask.logging(paths[1])).status).toBe(200)
  })
})

describe('the documented internal error', () => {
  test('has the documented body and no effect, and affects only its operation', async () => {
    const { emulator, ask } = await start()
    const off = emulator.faults.add({ name: 'internal-error', operation: 'delete-watermark' })
    const fail = async () => {
      const response = await ask.management('videolibrary/1001/watermark', { method: 'DELETE' })
      return [response.status, await response.text()]
    }
    expect(await fail()).toEqual([500, ''])
    emulator.setVariants({ errorBodies: 'present' })
    expect(await fail()).toEqual([500, expect.stringMatching(/^\{"ErrorKey":"server.failed","Field":"","Message":/)])
    expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(true)
    expect((await ask.management('videolibrary/1001')).status).toBe(200)
    off()
    expect((await ask.management('videolibrary/1001/watermark', { method: 'DELETE' })).status).toBe(204)
  })
})
