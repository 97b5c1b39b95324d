import { createManagementClient, unwrap } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'], // the public platform if omitted
  accessKey: process.env['CDN_ACCESS_KEY'],
})
const zone = await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 42 } } }))
console.log(zone.Name)
