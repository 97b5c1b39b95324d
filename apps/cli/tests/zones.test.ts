import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { fetchFrom } from './support/cli.ts'
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
      { Id: 2002, Name: '3d-models' },
    ]
    const search = url.searchParams.get('search') ?? ''
    return Response.json({
      Items: zones.filter(({ Name }) => Name.includes(search.toLowerCase())),
      HasMoreItems: false,
    })
  })
  const env = { XDG_CACHE_HOME: temporaryFolder(onTestFinished) }
  return { emulator, searches, run: (line: string) => run(line.split(' '), { fetch, env }) }
}

test('a zone is found by its name, in any case, with one request', async () => {
  const { run, searches } = await createAccount()
  expect(JSON.parse((await run('pull-zone get shop')).out)).toMatchObject({ Id: 2001 })
  const rows = await run('logs query SHOP-images --limit 1 -o json')
  expect(JSON.parse(rows.out)).toMatchObject([{ pullZoneId: 2002 }])
  expect(searches).toEqual(['?search=shop', '?search=SHOP-images'])
})

test('a name may begin with a digit', async () => {
  const { run } = await createAccount()
  expect(JSON.parse((await run('pull-zone get 3d-models')).out)).toMatchObject({ Id: 2002 })
  expect(JSON.parse((await run('logs query 3d-models --limit 1 -o json')).out)).toMatchObject([{ pullZoneId: 2002 }])
})

test.each(['pull-zone list', 'pull-zone get shop-images'])(
  '%s: its zones are remembered for completion',
  async (line) => {
    const { run } = await createAccount()
    await run(line)
    expect((await run('complete -- logs query shop-i')).out).toMatch(/^shop-images\t2002\n:end\n$/)
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

test('an id is never looked up', async () => {
  const { run, searches } = await createAccount()
  expect((await run('pull-zone get 2001')).code).toBe(0)
  expect(searches).toEqual([])
})
