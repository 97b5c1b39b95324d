/**
 * One server per entry of the fault catalogue of the Web Fuzzing Commons that applies to this platform.
 * https://github.com/WebFuzzing/Commons/blob/master/src/main/resources/wfc/faults/fault_categories.json
 *
 * Without a server: F104 and F206, because no operation creates an item of its own or has several roles on one item; F200 and F202,
 * because the platform neither has SQL nor fetches a URL; F201, because no response is a page; F203, because no request body has fields of an item.
 */
import type { Emulator } from '@cdn/emulator'
import { alterCall, alterResponse, editText, withStatus } from '../../../packages/conformance/tests/mutants/alter.ts'
import type { Behaviour } from '../../../packages/conformance/tests/mutants/mutant.ts'

/** What the server does wrong, by the label of the catalogue. Each function adds the fault, and returns a function that ends it. */
export const catalogue: Readonly<Record<string, (emulator: Emulator) => () => void>> = {
  'F100 status 500 for a video library that does not exist': altered(
    alterResponse(['get-video-library'], (response) =>
      response.status === 404 ? withStatus(response, 500) : response,
    ),
  ),
  'F101 the id of a pull zone is a text': altered(
    alterResponse(['get-pull-zone'], (response) =>
      editText(response, 200, (text) => text.replace(/"Id":\s*(\d+)/, '"Id":"$1"')),
    ),
  ),
  'F102 a limit of 0 is accepted': altered(
    alterCall(['query-logs'], (call) => ({ ...call, query: call.query.replace(/(^|&)limit=0(?=&|$)/, '$1limit=1') })),
  ),
  'F103 the deleted watermark stays': altered(
    Object.assign(() => async () => ({ status: 204, headers: {}, body: null }), {
      operations: ['delete-watermark'],
    }) as Behaviour,
  ),
  'F204 403 for pull zones that exist and 404 for others, without a valid key': altered(
    alterResponse(['get-pull-zone'], (response, { call, emulator }) =>
      response.status === 401 && !emulator.state.zones.get(call.path.split('/')[2] ?? '')
        ? withStatus(response, 404)
        : response,
    ),
  ),
  'F205 401 for a valid key that may not read a suspended pull zone': altered(
    alterResponse(['query-logs'], (response) => (response.status === 403 ? withStatus(response, 401) : response)),
  ),
}

function altered(behaviour: Behaviour): (emulator: Emulator) => () => void {
  return (emulator) => {
    const around = behaviour(emulator)
    return emulator.faults.add({
      name: 'catalogue',
      text: 'A fault of the catalogue.',
      around: (call, operation, next) =>
        behaviour.operations?.includes(operation.name) ? around(call, operation, next) : next(call, operation),
    })
  }
}
