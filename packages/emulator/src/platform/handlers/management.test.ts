import { describe, expect, test } from 'vitest'
import { jsonRequest, start } from '../../../tests/support/start.ts'
import { createZone } from '../state/zones.ts'

const add = 'pullzone/2001/addAllowedReferrer'
const remove = 'pullzone/2001/removeAllowedReferrer'
const error = { ErrorKey: expect.any(String), Field: expect.any(String), Message: expect.any(String) }

describe('delete watermark (§4.1)', () => {
  test('deletes a watermark and sets it again, and reads show both', async () => {
    const { ask } = await start()
    const read = async () => (await (await ask.management('videolibrary/1001')).json()).HasWatermark
    expect(await read()).toBe(true)
    const response = await ask.management('videolibrary/1001/watermark', { method: 'DELETE' })
    expect([response.status, await response.text(), await read()]).toEqual([204, '', false])
    const put = await ask.management('videolibrary/1001/watermark', { method: 'PUT', body: new Uint8Array(10) })
    expect([put.status, await read()]).toEqual([204, true])
  })

  test('distinguishes ids that are equal as doubles', async () => {
    const { emulator, ask } = await start()
    const { absentLibraryId } = emulator.fixtures
    const neighbour = String(BigInt(absentLibraryId) - 1n)
    const response = await ask.management(`videolibrary/${absentLibraryId}/watermark`, { method: 'DELETE' })
    expect([response.status, await response.text()]).toEqual([404, ''])
    expect(await (await ask.management(`videolibrary/${neighbour}`)).text()).toContain(`"Id":${neighbour},`)
    expect(emulator.state.resources.item('/videolibrary', neighbour)?.['HasWatermark']).toBe(true)
    emulator.state.zones.set('9223372036854775807', createZone('9223372036854775807'))
    expect(await (await ask.management('pullzone/9223372036854775807')).text()).toContain('"Id":9223372036854775807,')
  })

  test('returns 413 for a watermark that is too large', async () => {
    const { emulator, ask } = await start({ variants: { watermarkLimit: 65_536 } })
    const { resources } = emulator.state
    resources.change('/videolibrary', '1001', { HasWatermark: false })
    const put = await ask.management('videolibrary/1001/watermark', { method: 'PUT', body: new Uint8Array(65_537) })
    expect([put.status, resources.item('/videolibrary', '1001')?.['HasWatermark']]).toEqual([413, false])
  })
})

describe('add allowed referer (§4.2)', () => {
  test('adds one hostname to one zone, and removes it again', async () => {
    const { emulator, ask } = await start()
    const read = async (id: string) => (await (await ask.management(`pullzone/${id}`)).json()).AllowedReferrers
    expect((await ask.management(add, jsonRequest(emulator, { Hostname: 'a.example' }))).status).toBe(204)
    expect((await ask.management(add, jsonRequest(emulator, { Hostname: '*.b.example' }))).status).toBe(204)
    expect((await ask.management(add, jsonRequest(emulator, { Hostname: 'a.example' }))).status).toBe(204)
    expect([await read('2001'), await read('2002')]).toEqual([['a.example', '*.b.example'], []])
    expect((await ask.management(remove, jsonRequest(emulator, { Hostname: 'a.example' }))).status).toBe(204)
    expect(await read('2001')).toEqual(['*.b.example'])
  })

  test.each([
    ['an empty hostname', '{"Hostname":""}', 'Hostname'],
    ['a number', '{"Hostname":1}', 'Hostname'],
    ['null', '{"Hostname":null}', 'Hostname'],
    ['no hostname', '{}', 'Hostname'],
    ['an array', '["a.example"]', ''],
    ['invalid JSON', '{"Hostname":', ''],
    ['nothing', '', ''],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), ''],
  ])('adds nothing for %s', async (_name, body, field) => {
    const { emulator, ask } = await start()
    const response = await ask.management(add, { ...jsonRequest(emulator, ''), body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ ...error, Field: field })
    expect(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual([])
  })
})
