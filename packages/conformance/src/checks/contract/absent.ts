import { expectStatus } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import { need } from '../../core/failure.ts'
import { pathTo, resourceOf } from '../resources.ts'
import { guardedRequest } from '../writes.ts'
import { type ContractChecks, draft } from './contract-checks.ts'
import { validRequest } from './success.ts'

/**
 * If the contract states 404, a request for a resource that does not exist is answered 404 (§7). Absent ids come from
 * the fixtures.
 */
export const absentResource: ContractChecks = (operation) => {
  const resource = resourceOf(operation)
  const stated = operation.responses.find(({ status }) => status === '404')
  // On the logging interface, 404 means that logging is not enabled.
  if (!resource || !stated || operation.interface === 'logging') return []
  return [
    draft(operation, {
      slug: '404',
      text: 'A resource that does not exist is answered 404.',
      needs: [resource.present, resource.absent, 'credentials.accessKey'],
      run: async (context) => {
        const id = need(context.fixtures[resource.absent], resource.absent)
        const request =
          operation.effect === 'read'
            ? await validRequest(context, operation)
            : await guardedRequest(context, operation)
        expectStatus(await call(context, operation, { ...request, path: pathTo(operation, id) }), 404)
      },
    }),
  ]
}
