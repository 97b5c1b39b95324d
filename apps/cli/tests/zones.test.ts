import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fetchFrom } from './support/cli.ts'
import { createPlatform } from './support/platform.ts'

async function createAccount() {
  const cache = await mkdtemp(join(tmpdir(), 'cdn-zones-'))
  onTestFinished(() => rm(cache, { recursive: true, force: true }))
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
    return Response.json({ Items: zones.filter(({ Name }) => Name.includes(search)), HasMoreItems: false })
  })
  const env = { XDG_CACHE_HOME: cache }
  return { emulator, searches, run: (line: string) => run(line.split(' '), { fetch, env }) }
}

test('a zone is found by its name, and looked up again only after ten minutes', async () => {
  const { run, searches, emulator } = await createAccount()
  expect(JSON.parse((await run('pull-zone get shop')).out)).toMatchObject({ Id: 2001 })
  const rows = await run('logs query SHOP-images --limit 1 -o json')
  expect(JSON.parse(rows.out)).toMatchObject([{ pullZoneId: 2002 }])
  await run('pull-zone get shop')
  expect(searches).toEqual(['?search=shop'])
  emulator.clock.advance(601_000)
  await run('pull-zone get shop')
  expect(searches).toHaveLength(2)
})

test('the lookup of one zone does not make another name younger', async () => {
  const { run, searches, emulator } = await createAccount()
  await run('pull-zone get shop-images')
  emulator.clock.advance(500_000)
  await run('logs query other')
  emulator.clock.advance(200_000)
  await run('logs query shop-images --limit 1')
  expect(searches).toEqual(['?search=shop-images', '?search=other', '?search=shop-images'])
})

test('a printed list of zones is remembered', async () => {
  const { run, searches } = await createAccount()
  await run('pull-zone list')
  await run('logs query shop-images --limit 1')
  expect(searches).toEqual([''])
})

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
