import type { ReceivedResponse } from '../../core/answer.ts'
import { jsonOf, prepared } from '../../core/answer.ts'
import { call, type Request, type SentCredential } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { need } from '../../core/failure.ts'
import { operationOf, pathTo } from '../resources.ts'
import { newName } from '../state/requests.ts'
import { preparedRequest, sendRefusable } from '../writes.ts'
import type { Probe } from './probe.ts'
import { schemaOf } from './schema.ts'
import { seenAnswer, tellingHeaders } from './seen.ts'

const zone = ['zoneId', 'credentials.accessKey'] as const
const library = ['libraryId', 'watermarkFile', 'credentials.accessKey'] as const

/** Records unspecified behaviour of the management interface. */
export const managementProbes: readonly Probe[] = [
  {
    name: 'management.get-pull-zone',
    points: [
      'management.pull-zone.fields',
      'management.add-allowed-referrer.id-type',
      'management.versioning.deprecation',
      'management.rate-limit.figures',
    ],
    effect: 'read',
    needs: zone,
    observe: async (context) => {
      const answer = prepared(await call(context, operationOf('get-pull-zone')), 'reading the pull zone')
      const record = jsonOf(answer)
      const schema = schemaOf([record])
      return {
        'management.pull-zone.fields': schema,
        'management.add-allowed-referrer.id-type': {
          type: schema.properties?.['Id']?.type,
          ...(await beyond32Bits(context)),
        },
        ...headersByPoint(answer),
      }
    },
  },
  {
    name: 'management.get-video-library',
    points: ['management.video-library.fields'],
    effect: 'read',
    needs: ['libraryId', 'credentials.accessKey'],
    observe: async (context) => {
      const answer = prepared(await call(context, operationOf('get-video-library')), 'reading the video library')
      return { 'management.video-library.fields': schemaOf([jsonOf(answer)]) }
    },
  },
  {
    name: 'management.other-scopes',
    points: ['management.authentication.other-scopes'],
    effect: 'read',
    needs: ['zoneId', 'credentials.bearer', 'credentials.noScope'],
    observe: async (context) => {
      const { bearer, noScope } = context.fixtures.credentials
      const statusWith = async (value: string | undefined) =>
        (await call(context, operationOf('get-pull-zone'), { credential: token(value) })).status
      return {
        'management.authentication.other-scopes': {
          'get-pull-zone': { 'every scope': await statusWith(bearer), 'no scope': await statusWith(noScope) },
        },
      }
    },
  },
  {
    name: 'management.add-allowed-referrer.success',
    points: ['management.add-allowed-referrer.success'],
    effect: 'write',
    needs: zone,
    observe: async (context) => ({ 'management.add-allowed-referrer.success': seenAnswer(await add(context)) }),
  },
  {
    name: 'management.add-allowed-referrer.bearer',
    points: ['management.add-allowed-referrer.bearer'],
    effect: 'write',
    needs: [...zone, 'credentials.bearer'],
    observe: async (context) => {
      const { status } = await add(context, { credential: token(context.fixtures.credentials.bearer) })
      return { 'management.add-allowed-referrer.bearer': status }
    },
  },
  {
    name: 'management.add-allowed-referrer.errors',
    points: [
      'management.add-allowed-referrer.hostname-required',
      'management.add-allowed-referrer.error-statuses',
      'management.add-allowed-referrer.content-type',
    ],
    effect: 'write',
    needs: [...zone, 'absentZoneId'],
    observe: async (context) => {
      const operation = operationOf('add-allowed-referrer')
      const id = need(context.fixtures.absentZoneId, 'absentZoneId')
      const statuses: number[] = []
      await sendRefusable(context, operation, [{ Hostname: '' }, '{', {}], async (body) => {
        statuses.push((await call(context, operation, { body })).status)
      })
      const [empty, noJson, noHostname] = statuses
      const absent = await call(context, operation, { path: pathTo(operation, id), body: { Hostname: newName() } })
      return {
        'management.add-allowed-referrer.hostname-required': noHostname,
        'management.add-allowed-referrer.error-statuses': {
          'empty Hostname': empty,
          'no JSON': noJson,
          'absent zone': absent.status,
        },
        'management.add-allowed-referrer.content-type': (
          await add(context, { headers: { 'Content-Type': 'text/plain' } })
        ).status,
      }
    },
  },
  {
    name: 'management.remove-allowed-referrer.absent',
    points: ['management.remove-allowed-referrer.absent'],
    effect: 'write',
    needs: zone,
    observe: async (context) => {
      const answer = await call(context, operationOf('remove-allowed-referrer'), { body: { Hostname: newName() } })
      return { 'management.remove-allowed-referrer.absent': answer.status }
    },
  },
  {
    name: 'management.delete-watermark.absent-watermark',
    points: ['management.delete-watermark.absent-watermark'],
    effect: 'destructive',
    needs: library,
    observe: async (context) => {
      const operation = operationOf('delete-watermark')
      const request = await preparedRequest(context, operation)
      prepared(await call(context, operation, request), 'deleting the watermark')
      return { 'management.delete-watermark.absent-watermark': (await call(context, operation, request)).status }
    },
  },
  {
    name: 'management.delete-watermark.error-body',
    points: ['management.delete-watermark.error-body'],
    effect: 'destructive',
    needs: ['absentLibraryId', 'credentials.accessKey'],
    observe: async (context) => {
      const id = need(context.fixtures.absentLibraryId, 'absentLibraryId')
      const answer = await call(context, operationOf('delete-watermark'), { path: { id } })
      return { 'management.delete-watermark.error-body': seenAnswer(answer) }
    },
  },
]

/** Observes whether an id that does not fit into 32 bits is answered like an unknown id or like an unreadable id. */
async function beyond32Bits(context: CheckContext): Promise<Readonly<Record<string, number>>> {
  const { absentZoneId } = context.fixtures
  if (absentZoneId === undefined || BigInt(absentZoneId) < 2n ** 32n) return {}
  const operation = operationOf('get-pull-zone')
  const { status } = await call(context, operation, { path: pathTo(operation, absentZoneId) })
  return { 'id beyond 32 bits': status }
}

function headersByPoint(answer: ReceivedResponse): Record<string, unknown> {
  const headers = tellingHeaders(answer)
  const ofVersion = headers.filter((name) => /deprecat|sunset/.test(name))
  return {
    'management.versioning.deprecation': { headers: ofVersion },
    'management.rate-limit.figures': { headers: headers.filter((name) => !ofVersion.includes(name)) },
  }
}

function token(value: string | undefined): SentCredential {
  return { scheme: 'bearer', value: need(value, 'bearer token') }
}

async function add(context: CheckContext, changes: Request = {}): Promise<ReceivedResponse> {
  const operation = operationOf('add-allowed-referrer')
  return call(context, operation, { ...(await preparedRequest(context, operation)), ...changes })
}
