import { describe } from '../answer.ts'
import { call } from '../call.ts'
import { expect, need } from '../failure.ts'
import { operationOf } from '../resources.ts'
import { hasWatermark, write, writes } from '../writes.ts'
import { lastingMs, type Scenario } from './scenario.ts'

const needs = ['libraryId', 'watermarkFile', 'credentials.accessKey'] as const

/** The watermark, seen through the supplement's read of a video library. */
export const streamVideoLibrary: readonly Scenario[] = [
  {
    requirement: 'management.delete-watermark.effect',
    effect: 'destructive',
    needs,
    run: async (context) => {
      await write(context, 'delete-watermark')
      expect(!(await hasWatermark(context)), 'no watermark after the deletion', 'it is still there')
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
      expect(!(await hasWatermark(context)), 'no watermark an hour after the deletion', 'it is there again')
    },
  },
  {
    requirement: 'management.delete-watermark.library-id',
    effect: 'destructive',
    needs: [...needs, 'absentLibraryId'],
    run: async (context) => {
      const id = need(context.fixtures.absentLibraryId, 'absentLibraryId')
      await writes['delete-watermark']?.prepare(context)
      const answer = await call(context, operationOf('delete-watermark'), { path: { id } })
      expect(await hasWatermark(context), `the library's watermark untouched by a deletion for ${id}`, 'it is gone')
      expect(answer.status === 404, `status 404 for the 64-bit id ${id}`, describe(answer))
    },
  },
  {
    requirement: 'management.put-watermark.effect',
    // A watermark that was there before proves nothing.
    effect: 'destructive',
    needs,
    run: async (context) => {
      await write(context, 'delete-watermark')
      await write(context, 'put-watermark')
      expect(await hasWatermark(context), 'a watermark after setting it', 'there is none')
    },
  },
]
