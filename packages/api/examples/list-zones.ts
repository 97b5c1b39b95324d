import { createManagementClient, paginate } from '@cdn/api'

const client = createManagementClient({
  baseUrl: process.env['CDN_MANAGEMENT_URL'],
  accessKey: process.env['CDN_ACCESS_KEY'],
})
for await (const { Id, Name } of paginate(client, '/pullzone', { query: { search: 'shop' } })) console.log(Id, Name)
