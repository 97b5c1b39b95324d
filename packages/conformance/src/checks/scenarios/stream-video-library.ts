import { describeResponse } from '../../core/answer.ts'
import { call, eventually } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, need } from '../../core/failure.ts'
import { operationOf, pathTo } from '../resources.ts'
import { hasWatermark, prepareDeleteWatermark, write, writes } from '../writes.ts'
import { lastingMs, type Scenario } from './scenario.ts'

const needs = ['libraryId', 'watermarkFile', 'credentials.accessKey'] as const

/** The watermark, observed by reading the video library (supplement). */
export const streamVideoLibrary: readonly Scenario[] = [
  {
    requirement: 'management.delete-watermark.effect',
    effect: 'destructive',
    needs,
    run: async (context) => {
      await write(context, 'delete-watermark')
      expect(await isShown(context, false), 'no watermark after the deletion', 'it is still there')
    },
  },
  {
    requirement: 'management.delete-watermark.effect',
    aspect: 'lasting',
    effect: 'destructive',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      await write(context, 'delete-watermark')
      await context.wait(lastingMs)
      expect(await isShown(context, false), 'no watermark an hour after the deletion', 'it is there again')
    },
  },
  {
    requirement: 'management.delete-watermark.library-id',
    effect: 'destructive',
    part: 'an id that does not exist',
    needs: [...needs, 'absentLibraryId'],
    run: async (context) => {
      const id = need(context.fixtures.absentLibraryId, 'absentLibraryId')
      await writes['delete-watermark']?.prepare(context)
      const answer = await call(context, operationOf('delete-watermark'), {
        path: pathTo(operationOf('delete-watermark'), id),
      })
      expect(await isShown(context, true), `the library's watermark untouched by a deletion for ${id}`, 'it is gone')
      expect(answer.status === 404, `status 404 for the 64-bit id ${id}`, describeResponse(answer))
    },
  },
  {
    requirement: 'management.delete-watermark.library-id',
    aspect: 'distant',
    part: 'an id beyond 32 bits',
    effect: 'destructive',
    needs: [...needs, 'distantLibraryId'],
    run: async (context) => {
      const id = need(context.fixtures.distantLibraryId, 'distantLibraryId')
      const request = await prepareDeleteWatermark(context, id)
      const answer = await call(context, operationOf('delete-watermark'), request)
      expect(answer.status === 204, `status 204 for the 64-bit id ${id}`, describeResponse(answer))
      expect(await isShown(context, false, id), `no watermark of ${id} after the deletion`, 'it is still there')
    },
  },
  {
    requirement: 'management.put-watermark.effect',
    // The check first deletes the watermark, because a watermark from before the write would prove nothing.
    effect: 'destructive',
    needs,
    run: async (context) => {
      await write(context, 'delete-watermark')
      await write(context, 'put-watermark')
      expect(await isShown(context, true), 'a watermark after setting it', 'no watermark')
    },
  },
]

/** Whether the record of a library shows that it has a watermark, or that it has none. */
function isShown(context: CheckContext, expected: boolean, id?: string): Promise<boolean> {
  return eventually(context, async () => (await hasWatermark(context, id)) === expected)
}
