import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readEmulatorConfig } from './config.ts'

async function read(text: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'config-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'emulator.json'), text)
  return await readEmulatorConfig(join(folder, 'emulator.json'))
}

describe('a configuration file', () => {
  test('can contain everything that the schema permits', async () => {
    const config = {
      $schema: './config.schema.json',
      port: 4020,
      host: '0.0.0.0',
      cors: true,
      seed: 7,
      clock: 'virtual',
      start: '2026-01-01T00:00:00Z',
      journalLimit: 5,
      variants: { addSuccess: 201, timestampStyle: '+00:00' },
      traffic: { zones: ['777'], rowsPerSecond: 0.5, bursts: { rows: 2, everyMs: 1000 } },
      faults: [{ name: 'latency', ms: 20, operation: 'query-logs' }],
      schedules: [{ by: 'chance', share: 0.1, faults: ['cut-body'] }],
    }
    expect(await read(JSON.stringify(config))).toEqual(config)
  })

  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'config must be an object, not []'],
    ['{"prot":1}', /^config has an unknown key "prot": expected one of \$schema, port, /],
    ['{"port":70000}', 'config.port must be an integer from 0 to 65534, not 70000'],
    ['{"variants":{"nonsense":1}}', /^config.variants has an unknown key "nonsense": expected one of addSuccess, /],
    ['{"variants":{"addSuccess":202}}', 'config.variants.addSuccess must be one of 204, 200, 201, not 202'],
    ['{"traffic":{"zones":1}}', 'config.traffic.rowsPerSecond is missing'],
    ['{"start":"yesterday"}', /^config.start must be a date and time with a time zone, .*, not "yesterday"$/],
  ])('%s is rejected with one sentence', async (text, reason) => {
    const message = await read(text).catch((error: Error) => error.message)
    expect(message).toMatch(/^Invalid configuration \S+\/emulator\.json: /)
    const sentence = String(message).replace(/^.*emulator\.json: /, '')
    if (typeof reason === 'string') expect(sentence).toBe(reason)
    else expect(sentence).toMatch(reason)
  })

  test('that does not exist is named in the error', async () => {
    await expect(readEmulatorConfig('/nowhere/emulator.json')).rejects.toThrow(
      'Cannot read /nowhere/emulator.json: ENOENT',
    )
  })
})
