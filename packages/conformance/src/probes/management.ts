import type { Answer } from '../answer.ts'
import { jsonOf, prepared } from '../answer.ts'
import { type Credential, call, type Request } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { need, Skip } from '../failure.ts'
import { operationOf } from '../resources.ts'
import { allowedReferrers, newHostname, writes } from '../writes.ts'
import type { Probe } from './probe.ts'
import { schemaOf } from './schema.ts'
import { seenAnswer, tellingHeaders } from './seen.ts'

const zone = ['zoneId', 'credentials.accessKey'] as const
const library = ['libraryId', 'watermarkFile', 'credentials.accessKey'] as const

/** What the management interface does where nobody says what it should. */
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
    look: async (context) => {
      const answer = prepared(await call(context, operationOf('get-pull-zone')), 'reading the pull zone')
      const record = jsonOf(answer)
      const schema = schemaOf([record])
      return {
        'management.pull-zone.fields': schema,
        'management.add-allowed-referrer.id-type': schema.properties?.['Id']?.type,
        ...headersByPoint(answer),
      }
    },
  },
  {
    name: 'management.get-video-library',
    points: ['management.video-library.fields'],
    effect: 'read',
    needs: ['libraryId', 'credentials.accessKey'],
    look: async (context) => {
      const answer = prepared(await call(context, operationOf('get-video-library')), 'reading the video library')
      return { 'management.video-library.fields': schemaOf([jsonOf(answer)]) }
    },
  },
  {
    name: 'management.other-scopes',
    points: ['management.authentication.other-scopes'],
    effect: 'read',
    needs: ['zoneId', 'credentials.bearer', 'credentials.noScope'],
    look: async (context) => {
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
    look: async (context) => ({ 'management.add-allowed-referrer.success': seenAnswer(await add(context)) }),
  },
  {
    name: 'management.add-allowed-referrer.hostname-twice',
    points: ['management.add-allowed-referrer.hostname-twice'],
    effect: 'write',
    needs: zone,
    look: async (context) => {
      const request = await prepare(context, 'add-allowed-referrer')
      const operation = operationOf('add-allowed-referrer')
      prepared(await call(context, operation, request), 'adding a hostname')
      const again = await call(context, operation, request)
      const { Hostname } = request.body as { Hostname: string }
      const kept = (await allowedReferrers(context)).filter((hostname) => hostname === Hostname).length
      return { 'management.add-allowed-referrer.hostname-twice': { status: again.status, kept } }
    },
  },
  {
    name: 'management.add-allowed-referrer.bearer',
    points: ['management.add-allowed-referrer.bearer'],
    effect: 'write',
    needs: [...zone, 'credentials.bearer'],
    look: async (context) => {
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
    look: async (context) => {
      const operation = operationOf('add-allowed-referrer')
      const id = need(context.fixtures.absentZoneId, 'absentZoneId')
      const statusOf = async (request: Request) => (await call(context, operation, request)).status
      const answers = {
        'empty Hostname': await statusOf({ body: { Hostname: '' } }),
        'no JSON': await statusOf({ body: '{' }),
        'absent zone': await statusOf({ path: { id }, body: { Hostname: newHostname() } }),
      }
      return {
        'management.add-allowed-referrer.hostname-required': await statusOf({ body: {} }),
        'management.add-allowed-referrer.error-statuses': answers,
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
    look: async (context) => {
      const answer = await call(context, operationOf('remove-allowed-referrer'), { body: { Hostname: newHostname() } })
      return { 'management.remove-allowed-referrer.absent': answer.status }
    },
  },
  {
    name: 'management.delete-watermark.absent-watermark',
    points: ['management.delete-watermark.absent-watermark'],
    effect: 'destructive',
    needs: library,
    look: async (context) => {
      const request = await prepare(context, 'delete-watermark')
      const operation = operationOf('delete-watermark')
      prepared(await call(context, operation, request), 'deleting the watermark')
      return { 'management.delete-watermark.absent-watermark': (await call(context, operation, request)).status }
    },
  },
]

function headersByPoint(answer: Answer): Record<string, unknown> {
  const headers = tellingHeaders(answer)
  const ofVersion = headers.filter((name) => /deprecat|sunset/.test(name))
  return {
    'management.versioning.deprecation': { headers: ofVersion },
    'management.rate-limit.figures': { headers: headers.filter((name) => !ofVersion.includes(name)) },
  }
}

function token(value: string | undefined): Credential {
  return { scheme: 'bearer', value: need(value, 'bearer token') }
}

function prepare(context: CheckContext, name: string): Promise<Request> {
  const write = writes[name]
  if (!write) throw new Skip(`the suite has no resource that ${name} may write to`)
  return write.prepare(context)
}

async function add(context: CheckContext, changes: Request = {}): Promise<Answer> {
  const request = await prepare(context, 'add-allowed-referrer')
  return call(context, operationOf('add-allowed-referrer'), { ...request, ...changes })
}
