import { expectStatus } from '../answer.ts'
import { call } from '../call.ts'
import { need } from '../failure.ts'
import { resourceOf } from '../resources.ts'
import { draft, type Law } from './law.ts'
import { validRequest } from './success.ts'

/** A resource that does not exist is answered 404 where the contract says so (§7). Absent ids come from the fixtures. */
export const absent: Law = (operation) => {
  const resource = resourceOf(operation)
  const stated = operation.responses.find(({ status }) => status === '404')
  // The logging interface gives its 404 another meaning: logging is not enabled.
  if (!resource || !stated || operation.interface === 'logging') return []
  return [
    draft(operation, {
      slug: '404',
      text: 'A resource that does not exist is answered 404.',
      needs: [resource.present, resource.absent, 'credentials.accessKey'],
      run: async (context) => {
        const id = need(context.fixtures[resource.absent], resource.absent)
        const request = await validRequest(context, operation)
        expectStatus(await call(context, operation, { ...request, path: { id } }), 404)
      },
    }),
  ]
}
