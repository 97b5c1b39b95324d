import { createManagementClient, unwrap, withObserver, withRetry, withTimeout } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'],
  accessKey: async () => process.env['CDN_ACCESS_KEY'] ?? '', // called again when the platform refuses its value
  wrap: [
    withObserver({ retry: ({ operation }, { status }) => console.log(`${operation}: ${status}, once more`) }),
    withTimeout(60_000), // all attempts together
    withRetry({ firstPauseMs: 10 }),
    withTimeout(10_000), // each attempt
  ],
})

const zone = await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 42 } } }))
console.log(zone.Name)
