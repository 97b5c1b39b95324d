import { expectStatus } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import { expect, need } from '../../core/failure.ts'
import { pathTo, resourceOf } from '../resources.ts'
import { guardedRequest } from '../writes.ts'
import { type ContractChecks, draft, misreadings } from './contract-checks.ts'
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
        const request =
          operation.effect === 'read'
            ? await validRequest(context, operation)
            : await guardedRequest(context, operation)
        const send = (id: string) => call(context, operation, { ...request, path: pathTo(operation, id) })
        expectStatus(await send(need(context.fixtures[resource.absent], resource.absent)), 404)
        // Ids beyond 64 bits and negative ones may be malformed for the server. Only the resource of the fixture may be confused.
        const statuses = [
          '404',
          ...operation.responses.map(({ status }) => status).filter((status) => status === '400'),
        ]
        const ids = [...misreadings(need(context.fixtures[resource.present], resource.present)), `${2n ** 63n - 1n}`]
        for (const id of ids) {
          const { status } = await send(id)
          expect(statuses.includes(`${status}`), `status ${statuses.join(' or ')} for the id ${id}`, `status ${status}`)
        }
      },
    }),
  ]
}
