import { describe, expect, test } from 'vitest'
import { alter, start } from '../../tests/support/start.ts'

describe('dispatch by the contract', () => {
  test('returns 501 for a write without a handler, whose effect the contract does not state, and plain values for a read', async () => {
    const { emulator, ask } = await start()
    emulator.faults.add(alter(({ action: _action, ...operation }) => ({ ...operation, name: 'not-written-yet' })))
    expect((await ask.management('videolibrary/1001/watermark', { method: 'DELETE' })).status).toBe(501)
    const read = await ask.management('pullzone') // without `action`, its resource is unknown
    expect([read.status, await read.json()]).toEqual([200, []])
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

  test('an empty key is no credential, and an Authorization header with another scheme is an invalid credential (§5)', async () => {
    const { ask } = await start()
    const statusWith = async (headers: Record<string, string>) =>
      (await ask.logging('v2/pullzones/2002/logs', { headers })).status
    expect([await statusWith({ AccessKey: '' }), await statusWith({ Authorization: 'Basic YTpi' })]).toEqual([401, 403])
  })

  test('refuses to fetch from other origins', async () => {
    const { emulator } = await start()
    await expect(emulator.fetch('https://example.com/')).rejects.toThrow(TypeError)
  })
})
