import { createManagementClient, hooks, retry, timeout, unwrap } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'],
  accessKey: async () => process.env['CDN_ACCESS_KEY'] ?? '', // asked again when the platform has refused it
  use: [
    hooks({ retry: ({ operation }, { error }) => console.log(`${operation}: ${error.status}, once more`) }),
    timeout(60_000), // all attempts together
    retry({ firstPauseMs: 10 }),
    timeout(10_000), // each attempt
  ],
})

const zone = await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 42 } } }))
console.log(zone.Name)
