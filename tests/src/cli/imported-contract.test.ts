/**
 * Commands of an imported contract. Each command accepts its printed example, and a credential is sent only to its own interface.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository } from '../copy.ts'
import { evaluate, runIn } from '../run-in.ts'

let copy: string
beforeAll(() => {
  copy = copyRepository()
  const script = 'specs/tools/scripts/import-contract.ts'
  const file = join(import.meta.dirname, 'files.yaml')
  const { code, output } = runIn(copy, '.', [script, file, '--as', 'file-store'])
  expect(code, output).toBe(0)
  mkdirSync(join(copy, 'home'))
}, 300_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function cdn(line: string, input = '', more = {}) {
  const env = { HOME: join(copy, 'home'), ...more }
  const args = ['apps/cli/src/bin.ts', ...line.split(' ')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env, input })
  return { code: status, out: stdout, err: stderr }
}

test('each command accepts its printed example, which shows no credential', () => {
  const script = `
    import { execFileSync } from 'node:child_process'
    import { root } from '../apps/cli/src/commands/root.ts'
    import { runCommandLine } from '../apps/cli/src/main.ts'
    import { allCommands } from '../apps/cli/src/commands/program/declaration.ts'
    import { writeFileSync } from 'node:fs'
    writeFileSync('watermark.png', 'image')
    const results = []
    for await (const { path, entry } of allCommands(root)) {
      if (entry.kind === 'group' || path[0] !== 'file-store') continue
      for (const { line } of entry.examples) {
        const words = execFileSync('sh', ['-c', "printf '%s\\\\0' " + line], { encoding: 'utf8' }).split('\\0').slice(1, -1)
        let text = ''
        const stream = { write: (data, done) => { text += data; done(); return true }, on() {}, off() {} }
        const world = { env: { CDN_FILE_STORE_ACCESS_KEY: 'CANARY' }, stdin: () => process.stdin, stdout: stream, stderr: stream }
        const more = { onInterrupt() {}, fetch, now: () => new Date(), sleep: async () => {} }
        const code = await runCommandLine([...words, '--dry-run'], { ...world, ...more })
        results.push([line, code, text])
      }
    }
    console.log(JSON.stringify(results))`
  const results: [line: string, code: number, text: string][] = evaluate(copy, 'tests', script)
  expect(results).toHaveLength(6)
  for (const [line, code, text] of results) {
    expect(code, `${line}\n${text}`).toBe(0)
    expect(text).toMatch(/^curl (--request [A-Z]+ )?'?https:\/\/files\.invalid\/v1\//)
    expect(text).not.toContain('CANARY')
  }
})

test('a path parameter keeps its slashes, and cannot leave its place in the path', () => {
  const download = (path: string) => cdn(`file-store files download pics ${path} a.png --dry-run`)
  expect(download('cats/2026').out).toContain('https://files.invalid/v1/pics/cats/2026/a.png ')
  for (const path of ['cats/../..', 'cats//2026']) {
    expect(download(path)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Path parameter path must not be empty'),
    })
  }
})

test('cdn api sends a path to an interface that takes any path only with --interface', () => {
  const line = 'api /pics/cats/2026/a.png --dry-run'
  expect(cdn(line)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--interface file-store. ') })
  expect(cdn(`${line} --interface file-store`).out).toContain('https://files.invalid/v1/pics/cats/2026/a.png ')
  expect(cdn('api DELETE /stores/1/labels --dry-run').err).toContain('/stores/1/labels takes POST, not DELETE.')
  expect(cdn('api DELETE videolibrary/1/watermark --dry-run').out).toMatch(
    /^curl --request DELETE https:[^ ]+\/videolibrary\/1\/watermark /,
  )
})

test('a profile stores the address and the credential of an imported interface', () => {
  expect(cdn('auth login --no-check', 'ACCOUNT').code).toBe(0)
  const login = 'auth login --interface file-store --file-store-url https://other.invalid/base'
  expect(cdn(login, 'CANARY')).toMatchObject({ code: 0, out: '' })
  expect(cdn('auth login --interface file-store --bearer', 'CANARY').err).toContain('file-store takes no bearer token')
  const { out } = cdn('file-store stores set-labels 1 --body ["aa"] --yes --dry-run')
  expect(out).toMatch(
    /^curl --request POST https:\/\/other\.invalid\/base\/stores\/1\/labels .*"X-Store-Key: \$CDN_FILE_STORE_ACCESS_KEY"/,
  )
  expect(JSON.parse(cdn('auth status').out)).toMatchObject({
    fileStoreUrl: 'https://other.invalid/base',
    managementUrl: expect.stringMatching(/^https:/),
  })
  const env = { CDN_FILE_STORE_URL: 'https://evil.invalid' }
  expect(cdn('file-store stores set-labels 1 --body ["aa"] --yes', '', env).err).toContain('is not sent there')
})
