import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isSuccess, jsonOf, prepared } from './answer.ts'
import { call, type Request } from './call.ts'
import type { CheckContext, UndoStep } from './check.ts'
import { need, Skip } from './failure.ts'
import { operationOf } from './resources.ts'

/** How a check performs a write of one operation, takes it back, and sees what it did. */
export interface Write {
  /** Brings the resource into the state that the write needs, registers the undo, and gives the valid request. */
  prepare(context: CheckContext): Promise<Request>
  /** What the write changes, read back through the supplement; absent where it may find everything as it leaves it. */
  state?(context: CheckContext): Promise<unknown>
}

/** Writes by x-name. An operation without a row has no resource to write to, and its laws of success are skipped. */
export const writes: Readonly<Record<string, Write>> = {
  'delete-watermark': { prepare: prepareDeleteWatermark, state: hasWatermark },
  'put-watermark': { prepare: preparePutWatermark },
  'add-allowed-referrer': { prepare: prepareAddReferrer, state: allowedReferrers },
  'remove-allowed-referrer': { prepare: prepareRemoveReferrer, state: allowedReferrers },
}

/** A hostname that no visitor ever sends, different on each call. */
export function newHostname(): string {
  return `${randomUUID()}.conformance.invalid`
}

/**
 * The allowed referrers of a pull zone (supplement: get-pull-zone).
 *
 * @param id the run's own zone where absent
 */
export async function allowedReferrers(context: CheckContext, id?: string): Promise<string[]> {
  const path = { id: id ?? need(context.fixtures.zoneId, 'zoneId') }
  const answer = await call(context, operationOf('get-pull-zone'), { path })
  const { AllowedReferrers } = jsonOf(prepared(answer, 'reading the pull zone')) as {
    AllowedReferrers?: string[] | null
  }
  return AllowedReferrers ?? []
}

/** Whether the run's library has a watermark (supplement: get-video-library). */
export async function hasWatermark(context: CheckContext): Promise<boolean> {
  const answer = await call(context, operationOf('get-video-library'))
  return (jsonOf(prepared(answer, 'reading the video library')) as { HasWatermark?: unknown }).HasWatermark === true
}

async function prepareDeleteWatermark(context: CheckContext): Promise<Request> {
  const put = await putRequest(context)
  await context.onUndo(undo(context, 'put-watermark', 'restore the watermark', put.body as Uint8Array<ArrayBuffer>))
  if (!(await hasWatermark(context))) {
    prepared(await call(context, operationOf('put-watermark'), put), 'setting a watermark')
  }
  return {}
}

async function preparePutWatermark(context: CheckContext): Promise<Request> {
  const put = await putRequest(context)
  const there = await hasWatermark(context)
  await context.onUndo(
    there
      ? undo(context, 'put-watermark', 'restore the watermark', put.body as Uint8Array<ArrayBuffer>)
      : undo(context, 'delete-watermark', 'delete the watermark that was set'),
  )
  return put
}

async function putRequest(context: CheckContext): Promise<Request> {
  const file = need(context.fixtures.watermarkFile, 'watermarkFile')
  try {
    return { body: new Uint8Array(await readFile(file)) }
  } catch (error) {
    throw new Skip(`cannot read watermarkFile ${file}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

async function prepareAddReferrer(context: CheckContext): Promise<Request> {
  const body = { Hostname: newHostname() }
  await context.onUndo(undo(context, 'remove-allowed-referrer', `remove ${body.Hostname}`, JSON.stringify(body)))
  return { body }
}

async function prepareRemoveReferrer(context: CheckContext): Promise<Request> {
  const request = await prepareAddReferrer(context)
  prepared(await call(context, operationOf('add-allowed-referrer'), request), 'adding a hostname')
  return request
}

function undo(context: CheckContext, name: string, text: string, body?: UndoStep['body']): UndoStep {
  const operation = operationOf(name)
  const { libraryId, zoneId } = context.fixtures
  const id = operation.area === 'Pull Zone' ? need(zoneId, 'zoneId') : need(libraryId, 'libraryId')
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  return {
    text,
    method: operation.method.toUpperCase(),
    url: context.management.href.replace(/\/$/, '') + operation.path.replace('{id}', encodeURIComponent(id)),
    headers: mediaType ? { 'Content-Type': mediaType } : {},
    ...(body !== undefined && { body }),
  }
}

/** Performs the write of an operation with everything around it; for scenarios. */
export async function write(context: CheckContext, name: string): Promise<Request> {
  const operation = operationOf(name)
  const request = await need(writes[name], `scenario for ${name}`).prepare(context)
  const answer = await call(context, operation, request)
  if (!isSuccess(answer)) throw new Skip(`cannot look at the effect: ${name} was answered ${answer.status}`)
  return request
}
