/** Mistakes outside of what an operation is about: other fields, related values, other methods, raw bytes. */
import type { Emulator } from '@cdn/emulator'
import { alterResponse, textOf } from '../alter.ts'
import { type Behaviour, beyond, mutant, on, type ServerUnderTest } from '../mutant.ts'

const addition = 'management.add-allowed-referrer'
const removal = 'management.remove-allowed-referrer'
const deletion = 'management.delete-watermark'
const zones = '/pullzone'

/** Changes the state after each success of an operation. */
const after = (name: string, change: (emulator: Emulator, id: string) => void): Behaviour =>
  on([name], (emulator) => async (call, operation, next) => {
    const response = await next(call, operation)
    if (response.status < 300) change(emulator, call.path.split('/')[2] ?? '')
    return response
  })

const afterChange = (
  name: string,
  change: (hostnames: readonly string[], hostname: string) => readonly string[],
): Behaviour =>
  on([name], ({ state }) => async (call, operation, next) => {
    const bytes = await call.body()
    const response = await next({ ...call, body: async () => bytes }, operation)
    const id = call.path.split('/')[2] ?? ''
    const item = state.resources.item(zones, id)
    if (response.status >= 300 || !item) return response
    const { Hostname = '' } = JSON.parse(new TextDecoder().decode(bytes))
    const hostnames = (item['AllowedReferrers'] ?? []) as readonly string[]
    state.resources.change(zones, id, { AllowedReferrers: change(hostnames, String(Hostname)) })
    return response
  })

export const frameMutants: readonly ServerUnderTest[] = [
  mutant(
    'frame.other-field',
    'An added referrer changes how addresses are anonymised.',
    [`${addition}.effect`],
    after('add-allowed-referrer', ({ state }, id) => state.resources.change(zones, id, { LogAnonymizationType: 1 })),
  ),
  mutant(
    'frame.counter-reset',
    'A deleted watermark sets the used bandwidth of each pull zone back.',
    [`${deletion}.effect`],
    after('delete-watermark', ({ state }) => {
      for (const { Id } of state.resources.all[zones] ?? [])
        state.resources.change(zones, String(Id), { MonthlyBandwidthUsed: -1 })
    }),
  ),
  mutant(
    'related.case-folded',
    'A hostname in upper case removes the one in lower case.',
    [`${removal}.effect`],
    afterChange('remove-allowed-referrer', (all, hostname) =>
      all.filter((each) => each.toLowerCase() !== hostname.toLowerCase()),
    ),
  ),
  beyond(
    'method.get-adds',
    'GET on the path of an addition adds the hostname of its query.',
    `${addition}.effect`,
    ({ method, url }, { state }) => {
      const { pathname, searchParams } = new URL(url)
      const [, , id = '', name] = pathname.split('/')
      const item = state.resources.item(zones, id)
      if (method !== 'GET' || name !== 'addAllowedReferrer' || !item) return
      const hostnames = (item['AllowedReferrers'] ?? []) as readonly string[]
      state.resources.change(zones, id, { AllowedReferrers: [...hostnames, searchParams.get('Hostname')] })
    },
  ),
  mutant(
    'bytes.latin-file',
    'A file of version 1 is encoded as Latin-1.',
    ['logging.read-log-file.encoding'],
    alterResponse(['read-log-file'], (response) =>
      response.status === 200 ? { ...response, body: Buffer.from(textOf(response), 'latin1') } : response,
    ),
  ),
]
