import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { fetchFrom } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

/** An account with `count` additional pull zones, and the queries of the requests for their list. */
async function createAccount(count: number) {
  const { run, emulator } = await createPlatform()
  const zones = Array.from({ length: count }, (_, index) => ({ Id: 10_000 + index, Name: `shop-${index}` }))
  emulator.state.resources.add('/pullzone', zones)
  const queries: string[] = []
  const fetch = fetchFrom((request) => {
    queries.push(new URL(request.url).search)
    return emulator.fetch(request)
  })
  return { zones, queries, emulator, run: (line: string) => run(line.split(' '), { fetch }) }
}

test.each(['pull-zone list --paginate --search shop-', 'api pullzone --paginate --param search=shop-'])(
  '%s: the items of all pages are one list',
  async (line) => {
    const { run, zones, queries } = await createAccount(1_200)
    const { code, out, err } = await run(`${line} -o json`)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const names = (JSON.parse(out) as { Name: string }[]).map(({ Name }) => Name)
    expect(names).toEqual(zones.map(({ Name }) => Name))
    expect(queries.length).toBeGreaterThan(1)
    expect(queries.every((query) => query.includes('search=shop-'))).toBe(true)
  },
)

test('without a format, each item is a line; an expression sees all items', async () => {
  const { run } = await createAccount(1_200)
  const { out } = await run('pull-zone list --paginate --search shop-')
  expect(out.trimEnd().split('\n')).toHaveLength(1_200)
  expect((await run('pull-zone list --paginate --search shop- --query length(@)')).out).toBe('1200\n')
})

test.each([
  ['pull-zone list --search nothing', 'cdn: The list is empty.\n'],
  ['pull-zone list --search nothing --paginate', 'cdn: The list is empty.\n'],
  ['profiles list', 'cdn: No profile is saved: cdn auth login saves one.\n'],
])('%s: an empty list is a sentence on a terminal, and nothing in a pipe', async (line, sentence) => {
  const { run } = await createPlatform()
  const env = { HOME: temporaryFolder(onTestFinished) }
  expect(await run(line, { env, columns: 80 })).toEqual({ code: 0, out: '', err: sentence })
  expect(await run(line, { env })).toEqual({ code: 0, out: '', err: '' })
})

test.each([
  [
    'pull-zone list --paginate --page 2 --per-page 5',
    2,
    'Omit --page and --per-page: --paginate reads all pages, and chooses their size.',
  ],
  ['api pullzone?page=2 --paginate', 2, 'Omit page: --paginate reads all pages, and chooses their size.'],
  ['api pullzone/2001 --paginate', 2, 'GET /pullzone/2001 is not a list with pages: omit --paginate.'],
])('%s: is refused in a sentence, and nothing is sent', async (line, exitCode, sentence) => {
  const { run, queries } = await createAccount(0)
  const { code, out, err } = await run(line)
  expect({ code, out, queries }).toEqual({ code: exitCode, out: '', queries: [] })
  expect(err).toContain(sentence)
})

test('a list that cannot be read completely ends with 1 and a sentence', async () => {
  const { run } = await createPlatform()
  const fetch = fetchFrom(() => Response.json({ Items: [{ Id: 1 }], TotalItems: 5, HasMoreItems: false }))
  const { code, err } = await run(['pull-zone', 'list', '--paginate'], { fetch })
  expect(code).toBe(1)
  expect(err).toContain('The list GET /pullzone cannot be read completely: the platform has 5 items and returned 1.')
})

test('--dry-run prints the request of the first page', async () => {
  const { run, queries } = await createAccount(0)
  expect((await run('pull-zone list --paginate --dry-run')).out).toMatch(/^curl \S+\/pullzone\?page=1&perPage=1000/)
  expect(queries).toEqual([])
})
