import { createLoggingClient, isApiError, type LoggingErrorOf, unwrap } from '@cdn/api'

const client = createLoggingClient({
  baseUrl: process.env['CDN_LOGGING_URL'],
  accessKey: process.env['CDN_ACCESS_KEY'],
})
const path = '/v2/pullzones/{pullZoneId}/logs'
try {
  await unwrap(client.GET(path, { params: { path: { pullZoneId: 7 } } }))
} catch (error) {
  if (!isApiError<LoggingErrorOf<'get', typeof path>>(error)) throw error
  if (error.status === 404) console.log(error.code === 'logging_disabled' ? 'logging is off' : error.message)
}
