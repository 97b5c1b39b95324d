import { toRecord } from '@cdn/kit/record'
import type { Observation } from './observation.ts'

const json = { 'Content-Type': 'application/json' }

function post(key: string, body: object, headers: Readonly<Record<string, string>> = json): RequestInit {
  return { method: 'POST', headers: { AccessKey: key, ...headers }, body: JSON.stringify(body) }
}

const add = 'pullzone/2001/addAllowedReferrer'
const remove = 'pullzone/2001/removeAllowedReferrer'
const watermark = 'videolibrary/1001/watermark'

/** Observations of the variants of the management interface. */
export const managementObservations = {
  addSuccess: {
    observe: async ({ management, key }) => (await management(add, post(key, { Hostname: 'a.example' }))).status,
    expected: { 204: 204, 200: 200, 201: 201 },
  },
  addTwice: {
    observe: async ({ management, key }) => {
      await management(add, post(key, { Hostname: 'a.example' }))
      const { status } = await management(add, post(key, { Hostname: 'a.example' }))
      const { AllowedReferrers } = toRecord(await (await management('pullzone/2001')).json())
      return [status, AllowedReferrers]
    },
    expected: { 'kept once': [204, ['a.example']], refused: [400, ['a.example']] },
  },
  removeAbsent: {
    observe: async ({ management, key }) =>
      (await management(remove, post(key, { Hostname: 'absent.example' }))).status,
    expected: { 204: 204, 404: 404 },
  },
  deleteAbsentWatermark: {
    observe: async ({ management }) => {
      await management(watermark, { method: 'DELETE', headers: {} })
      const remove = async () => (await management(watermark, { method: 'DELETE' })).status
      return [await remove(), await remove()]
    },
    expected: { 204: [204, 204], 404: [204, 404] },
  },
  watermarkLimit: {
    observe: async ({ management }) =>
      (await management(watermark, { method: 'PUT', body: new Uint8Array(65_537) })).status,
    expected: { 5242880: 204, 65536: 413 },
  },
  emptyReferrers: {
    observe: async ({ management }) => toRecord(await (await management('pullzone/2001')).json())['AllowedReferrers'],
    expected: { array: [], null: null },
  },
  listWithoutPage: {
    observe: async ({ management }) => {
      const list: { TotalItems?: number; length?: number } = JSON.parse(await (await management('pullzone')).text())
      return { items: list.length, total: list.TotalItems }
    },
    expected: { array: { items: 6, total: undefined }, page: { items: undefined, total: 6 } },
  },
  errorBodies: {
    // Whether each of these error responses has a body: get pull zone, get video library, delete watermark, add allowed referrer,
    // and a path in another case.
    observe: async ({ management, key }) => {
      const answers = await Promise.all([
        management('pullzone/2999'),
        management('videolibrary/2999'),
        management('videolibrary/2999/watermark', { method: 'DELETE' }),
        management('pullzone/2999/addAllowedReferrer', post(key, { Hostname: 'a.example' })),
        management('PullZone/2001'),
      ])
      return Promise.all(answers.map(async (answer) => [answer.status, (await answer.text()) !== '']))
    },
    expected: {
      'as published': [false, true, false, true, false].map((hasBody) => [404, hasBody]),
      present: [true, true, true, true, true].map((hasBody) => [404, hasBody]),
      absent: [false, false, false, true, false].map((hasBody) => [404, hasBody]),
    },
  },
  wrongContentType: {
    observe: async ({ management, key }) =>
      (await management(add, post(key, { Hostname: 'a.example' }, { 'Content-Type': 'text/plain' }))).status,
    expected: { refused: 400, accepted: 204 },
  },
} satisfies Record<string, Observation>
