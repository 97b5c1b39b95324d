import { createLimiter, withAuth, withRateLimit, withRetry, wrapFetch } from '@cdn/api'

const baseUrl = process.env['CDN_LOGGING_URL'] ?? 'https://logging.bunnycdn.com'
const auth = withAuth({ accessKey: process.env['CDN_ACCESS_KEY'], baseUrl })
const fetchLogs = wrapFetch(fetch, [withRetry(), auth, withRateLimit(createLimiter())])

const response = await fetchLogs(`${baseUrl}/v2/pullzones/42/logs?limit=1`)
console.log(response.status)
