import { createManagementClient } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'],
  accessKey: process.env['CDN_ACCESS_KEY'],
})

const { error } = await client.POST('/pullzone/{id}/addAllowedReferrer', {
  params: { path: { id: 42 } },
  body: { Hostname: '*.example.com' },
})
console.log(error ? `not added: ${error.Message ?? 'no reason given'}` : 'added')
