/** A new operation in the contract becomes a command without additional code. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository } from '../copy.ts'

let copy: string
beforeAll(() => {
  copy = copyRepository()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(copy, folder),
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return { status, output: stdout + stderr }
}

const cdn = (...words: string[]) =>
  run('.', ['apps/cli/src/bin.ts', ...words], { CDN_ACCESS_KEY: 'k', CDN_PROFILE: '' })

const chapter = `
close:
  post:
    tags: [DNS Zone]
    summary: Close DNS zone
    x-name: close-dns-zone
    x-effect: destructive
    security: [{ AccessKey: [] }]
    x-requirements:
      - { id: management.close-dns-zone.2xx, section: "4.5", text: A valid request succeeds. }
    x-unspecified:
      - { id: management.close-dns-zone.body, section: "4.5", text: The body of a success. }
    parameters:
      - { name: id, in: path, required: true, description: The ID of the zone., schema: { type: integer, format: int64 } }
      - { name: keepDays, in: query, description: How long records are kept., schema: { type: integer, minimum: 1 } }
    requestBody:
      content:
        application/json:
          schema:
            type: object
            properties:
              Reason: { type: string, enum: [moved, unused], description: Why. }
    responses:
      "2XX": { description: The zone is closed. }
      "401": { description: No credentials. }
      default: { description: The zone is not closed. }
`

test('it appears after generation, with types, help, confirmation and completion', () => {
  const spec = join(copy, 'specs/management/openapi.yaml')
  const text = readFileSync(spec, 'utf8')
    .replace(/ {2}- name: DNS Zone\n {4}x-unspecified:\n.*\n/, '  - name: DNS Zone\n')
    .replace('\ncomponents:', '  /dnszone/{id}/close:\n    $ref: dns-zone.yaml#/close\n\ncomponents:')
  writeFileSync(spec, text)
  writeFileSync(join(copy, 'specs/management/dns-zone.yaml'), chapter)
  expect(cdn('dns-zone').output).toContain("Unknown command 'dns-zone'")
  const generated = run('packages/api', ['scripts/generate.ts'])
  expect(generated.status, generated.output).toBe(0)

  expect(cdn('dns-zone', '--help').output).toMatch(/close +Close DNS zone/)
  const help = cdn('dns-zone', 'close', '--help').output
  for (const part of ['--keep-days <n>', '(choices: "moved", "unused")', '--yes']) expect(help).toContain(part)
  const close = ['dns-zone', 'close', '7', '--reason', 'moved', '--keep-days', '3']
  expect(cdn(...close, '--dry-run').output).toMatch(
    /^curl --request POST '?\S+\/dnszone\/7\/close\?keepDays=3'? .*"AccessKey: \$CDN_ACCESS_KEY".*'\{"Reason":"moved"\}'\n$/,
  )
  expect(cdn(...close)).toMatchObject({ status: 2, output: expect.stringContaining('confirm with --yes') })
  expect(cdn('dns-zone', 'close', '7', '--reason', 'other').output).toContain('Expected moved or unused.')
  expect(cdn('api', 'POST', '/dnszone/7/close', '--param', 'keepDays=0').output).toContain(
    'Invalid query parameter keepDays="0": expected a 64-bit integer, at least 1',
  )
  expect(cdn('complete', '--', 'dns-zone', 'clo').output).toContain('close\tClose DNS zone')
})
