import { createManagementClient, unwrap, withObserver, withTimeout } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'],
  accessKey: async () => process.env['CDN_ACCESS_KEY'] ?? '', // called again when the platform refuses its value
  retry: { firstPauseMs: 10 },
  timeout: 10_000, // each attempt
  wrap: [
    withObserver({ retry: ({ operation }, { status }) => console.log(`${operation}: ${status}, once more`) }),
    withTimeout(60_000), // all attempts together
  ],
})

const zone = await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 42 } }, timeout: 5000 }))
console.log(zone.Name)
