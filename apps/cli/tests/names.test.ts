import { assertDefined } from '@cdn/kit/assert-defined'
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
  expect(searches).toEqual(['?search=shop&page=1&perPage=1000', '?search=SHOP-images&page=1&perPage=1000'])
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
  expect((await run('logs query nope')).err).toBe('cdn: Unknown pull zone "nope": no pull zone has this name.\n')
})

test('an id is never looked up', async () => {
  const { run, searches } = await createAccount()
  expect((await run('pull-zone get 2001')).code).toBe(0)
  expect(searches).toEqual([])
})

test('a library is found by its name, which may have spaces', async () => {
  const { run, emulator } = await createPlatform()
  const library = assertDefined(emulator.state.resources.item('/videolibrary', '1001'))
  Object.assign(library, { Name: 'Our films: all' })
  const { out } = await run(['video-library', 'get', 'our films: ALL'])
  expect(JSON.parse(out)).toMatchObject({ Id: 1001, Name: 'Our films: all' })
  expect((await run(['video-library', 'delete-watermark', 'Our films: all', '--yes'])).code).toBe(0)
  expect(emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(false)
})

test('a name that several resources have is refused with their ids', async () => {
  const { run } = await createPlatform()
  const zones = [
    { Id: 1, Name: 'a' },
    { Id: 2, Name: 'A' },
    { Id: 3, Name: 'a' },
  ]
  const fetch = fetchFrom(({ url }) =>
    Response.json(url.includes('?') ? { Items: zones, HasMoreItems: false } : { Id: Number(url.split('/').at(-1)) }),
  )
  expect(JSON.parse((await run('pull-zone get A', { fetch })).out)).toEqual({ Id: 2 })
  expect(await run('pull-zone get a', { fetch })).toMatchObject({
    code: 2,
    err: 'cdn: Several pull zones have the name "a": give the id, 1 or 3.\n',
  })
})

test('the help of a command that takes a name says so', async () => {
  const { run } = await createPlatform()
  for (const line of ['pull-zone get', 'video-library delete-watermark', 'pull-zone add-allowed-referrer'])
    expect((await run(`${line} --help`)).out).toMatch(/^ {2}id +The ID of the .*, or its name$/m)
})
