import { describe, expect, test } from 'vitest'
import { createPlatform } from './support/platform.ts'

const destroy = ['video-library', 'delete-watermark', '1001']

describe('a destructive operation', () => {
  test('is described and not sent without a terminal for the prompt', async () => {
    const { run, emulator } = await createPlatform()
    for (const line of [destroy, ['api', 'DELETE', '/videolibrary/1001/watermark']]) {
      expect(await run(line)).toEqual({
        code: 2,
        out: '',
        err: 'cdn: Delete watermark: DELETE /videolibrary/1001/watermark on management.invalid. This cannot be undone. Without a terminal for a prompt, confirm with --yes.\n',
      })
    }
    expect(emulator.journal.entries).toEqual([])
    expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(true)
  })

  test('is sent with --yes', async () => {
    const { run, emulator } = await createPlatform()
    expect((await run([...destroy, '--yes'])).code).toBe(0)
    expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(false)
  })
})

describe('--dry-run', () => {
  const lines = [
    destroy,
    ['pull-zone', 'add-allowed-referrer', '2001', '--hostname', "it's.example"],
    ['pull-zone', 'get', '9007199254740993'],
    ['api', 'v2/pullzones/2002/logs', '--param', 'search=a b&c', '--param', 'limit=2'],
    ['api', 'POST', '/pullzone/2001/addAllowedReferrer', '--field', 'Hostname=$HOME `id`'],
  ]

  test.each(lines)('sends nothing, and prints the request without the secret: %s %s %s', async (...line) => {
    const { run, env, emulator } = await createPlatform()
    const { code, out, err } = await run([...line, '--dry-run'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^curl .*--header "AccessKey: \$CDN_ACCESS_KEY".*\n$/s)
    expect(out).not.toContain(env['CDN_ACCESS_KEY'])
    expect(emulator.journal.entries).toEqual([])
  })

  test('needs no credential', async () => {
    const { run } = await createPlatform()
    expect((await run([...destroy, '--dry-run'], { env: { CDN_ACCESS_KEY: '' } })).code).toBe(0)
  })

  test('a binary body is left to standard input', async () => {
    const { run } = await createPlatform()
    const line = ['video-library', 'put-watermark', '1001', '--body', '-', '--dry-run']
    const { out } = await run(line, { input: new Uint8Array([0x89, 0x50, 0, 0xff]) })
    expect(out).toMatch(
      / --header 'content-type: application\/octet-stream' .*--data-binary @- {2}# the 4 bytes of the body/,
    )
  })
})

test('--verbose logs requests on standard error, without a credential', async () => {
  const { run, env } = await createPlatform()
  const { out, err } = await run(['pull-zone', 'get', '2001', '--verbose'])
  expect(err).toMatch(/^> GET https:\/\/management\.invalid\/pullzone\/2001\n< 200 after \d+ ms\n$/)
  expect(out + err).not.toContain(env['CDN_ACCESS_KEY'])
})
