import { createManagementClient } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { JSDOM } from 'jsdom'
import createQueryHooks from 'openapi-react-query'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'

const emulator = await createEmulator()
const { managementUrl: baseUrl, fetch, fixtures } = emulator
const client = createManagementClient({ baseUrl, fetch, accessKey: fixtures.credentials.accessKey })
const $api = createQueryHooks(client)

function Zone({ id }: { readonly id: number }) {
  const { data, error, isLoading } = $api.useQuery('get', '/pullzone/{id}', { params: { path: { id } } })
  return <p>{isLoading ? '…' : error ? 'no such zone' : `${data?.Id}: ${data?.AllowedReferrers?.join()}`}</p>
}

test('openapi-react-query renders the answers of our client, successes and errors', async () => {
  const { window } = new JSDOM('<main></main>')
  Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true })
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const main = defined(window.document.querySelector('main'))
  const root = createRoot(main)
  const render = (id: number) =>
    act(() =>
      root.render(
        <QueryClientProvider client={queries}>
          <Zone key={id} id={id} />
        </QueryClientProvider>,
      ),
    )
  const shown = (text: string) =>
    expect.poll(() => act(async () => main.textContent), { timeout: 150_000 }).toContain(text)

  await client.POST('/pullzone/{id}/addAllowedReferrer', {
    params: { path: { id: Number(fixtures.zoneId) } },
    body: { Hostname: 'react.example' },
  })
  await render(Number(fixtures.zoneId))
  await shown(`${fixtures.zoneId}: `)
  expect(main.textContent).toContain('react.example')
  await render(Number(fixtures.absentZoneId))
  await shown('no such zone')
  act(() => root.unmount())
})
