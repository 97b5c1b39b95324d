import { expect, test } from 'vitest'
import { createFolder, fetchFrom } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

async function createAccount() {
  const { run, emulator } = await createPlatform()
  const searches: string[] = []
  const fetch = fetchFrom((request) => {
    const url = new URL(request.url)
    if (url.pathname !== '/pullzone') return emulator.fetch(request)
    searches.push(url.search)
    const zones = [
      { Id: 2001, Name: 'shop' },
      { Id: 2002, Name: 'shop-images' },
    ]
    const search = url.searchParams.get('search') ?? ''
    return Response.json({
      Items: zones.filter(({ Name }) => Name.includes(search.toLowerCase())),
      HasMoreItems: false,
    })
  })
  const env = { XDG_CACHE_HOME: await createFolder() }
  return { emulator, searches, run: (line: string) => run(line.split(' '), { fetch, env }) }
}

test('a zone is found by its name, in any case, with one request', async () => {
  const { run, searches } = await createAccount()
  expect(JSON.parse((await run('pull-zone get shop')).out)).toMatchObject({ Id: 2001 })
  const rows = await run('logs query SHOP-images --limit 1 -o json')
  expect(JSON.parse(rows.out)).toMatchObject([{ pullZoneId: 2002 }])
  expect(searches).toEqual(['?search=shop', '?search=SHOP-images'])
})

test.each(['pull-zone list', 'pull-zone get shop-images'])(
  '%s: its zones are remembered for completion',
  async (line) => {
    const { run } = await createAccount()
    await run(line)
    expect((await run('complete -- logs query shop-i')).out).toMatch(/^shop-images\t2002\n:4\n$/)
  },
)

test('an unknown name is a usage error that lists similar names', async () => {
  const { run } = await createAccount()
  expect(await run('logs query shop-')).toMatchObject({
    code: 2,
    err: 'cdn: Unknown pull zone "shop-": expected shop-images.\n',
  })
  expect((await run('logs query nope')).err).toBe('cdn: Unknown pull zone "nope": no zone has this name.\n')
})

test('a name of the platform does not start a line of its own', async () => {
  const { run } = await createPlatform()
  const fetch = fetchFrom(() => Response.json([{ Id: 1, Name: 'shop\ncdn: \u001b[2Jsaved' }]))
  const { err } = await run(['logs', 'query', 'shop'], { fetch })
  expect(err).toBe('cdn: Unknown pull zone "shop": expected shop\\u000acdn: \\u001b[2Jsaved.\n')
})

test('an id is never looked up', async () => {
  const { run, searches } = await createAccount()
  expect((await run('pull-zone get 2001')).code).toBe(0)
  expect(searches).toEqual([])
})

test('zones without a name or an exact id are ignored', async () => {
  const { run } = await createPlatform()
  const fetch = fetchFrom(() => Response.json({ Items: [null, 7, { Id: '1', Name: 'shop' }, { Id: 1, Name: null }] }))
  const inexact = fetchFrom(
    () => new Response('[{"Id":1e300,"Name":"shop"},{"Id":99999999999999999999,"Name":"shop"}]'),
  )
  for (const fetched of [fetch, inexact])
    expect(await run(['logs', 'query', 'shop'], { fetch: fetched })).toEqual({
      code: 2,
      out: '',
      err: 'cdn: Unknown pull zone "shop": no zone has this name.\n',
    })
})
