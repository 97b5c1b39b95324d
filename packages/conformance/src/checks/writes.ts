import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Operation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { describeResponse, jsonOf, prepared, type ReceivedResponse } from '../core/answer.ts'
import { bodyTypeOf, call, eventually, maxLagMs, type Request } from '../core/call.ts'
import type { CheckContext, UndoStep } from '../core/check.ts'
import { expect, LostResponse, need, Skip } from '../core/failure.ts'
import { urlBelow } from '../core/requested-operation.ts'
import { operationOf, pathTo } from './resources.ts'

/** How a check performs a write of one operation, undoes it, and observes its effect. */
export interface Write {
  /** Brings the resource into the state that the write needs, registers the undo, and returns the valid request. */
  prepare(context: CheckContext): Promise<Request>
  /** Whether `prepare` reads or writes through the supplement. */
  readonly preparesThrough?: 'supplement'
  /**
   * For a request that must be refused. Registers the undo and returns the valid request, whatever the state of the
   * resource.
   */
  guard(context: CheckContext): Promise<Request>
  /**
   * Reads what the write changes, through the supplement, without the changes of other checks. Missing if a successful
   * write may change nothing.
   */
  state?(context: CheckContext, request: Request): Promise<unknown>
  /** Whether a state shows that the request had its effect. */
  isDone?(state: unknown, request: Request): boolean
}

/** Writes of the management interface by x-name. */
export const writes: Readonly<Record<string, Write>> = {
  'delete-watermark': {
    prepare: (context) => prepareDeleteWatermark(context),
    preparesThrough: 'supplement',
    guard: async (context) => {
      await guardWatermark(context)
      return {}
    },
    state: (context) => hasWatermark(context),
    isDone: (state) => state === false,
  },
  'put-watermark': { prepare: preparePutWatermark, guard: preparePutWatermark },
  'add-allowed-referrer': {
    prepare: prepareAddReferrer,
    guard: prepareAddReferrer,
    state: lastingReferrers,
    isDone: isListed,
  },
  'remove-allowed-referrer': {
    prepare: prepareRemoveReferrer,
    guard: prepareRemoveReferrer,
    state: lastingReferrers,
    isDone: (state, request) => !isListed(state, request),
  },
}

/**
 * Returns how to perform the write of an operation. Without an entry, the suite has no resource to write to, and
 * never sends the operation to a live target.
 */
export function writeOf({ interface: of, name }: Pick<Operation, 'interface' | 'name'>): Write | undefined {
  return of === 'management' ? writes[name] : undefined
}

/** Returns the valid request that a check modifies so that it must be refused. A read needs no preparation. */
export async function guardedRequest(
  context: CheckContext,
  operation: Pick<Operation, 'interface' | 'name'>,
): Promise<Request> {
  return (await writeOf(operation)?.guard(context)) ?? {}
}

/** The hostname that a request adds or removes. */
export function hostnameIn({ body }: Request): string {
  return String(toRecord(body)['Hostname'])
}

/** Returns a new hostname on each call. No visitor ever sends it. */
export function newHostname(): string {
  return `${randomUUID()}.conformance.invalid`
}

/**
 * The allowed referrers of a pull zone (supplement: get-pull-zone).
 *
 * @param id the fixture's zone by default
 */
export async function allowedReferrers(context: CheckContext, id?: string): Promise<string[]> {
  const path = { id: id ?? need(context.fixtures.zoneId, 'zoneId') }
  const answer = await call(context, operationOf('get-pull-zone'), { path })
  const { AllowedReferrers } = toRecord(jsonOf(prepared(answer, 'reading the pull zone')))
  // Other checks report a value of another type.
  return (AllowedReferrers ?? []) as string[]
}

/** Whether this suite made the hostname. */
export function isOurs(hostname: string): boolean {
  return /^[\da-f-]{36}\.conformance\.invalid$/.test(hostname)
}

/** The allowed referrers, without the hostnames of other checks: a read may be stale and still show them. */
async function lastingReferrers(context: CheckContext, request: Request): Promise<string[]> {
  const own = hostnameIn(request)
  return (await allowedReferrers(context)).filter((hostname) => hostname === own || !isOurs(hostname))
}

function isListed(state: unknown, request: Request): boolean {
  return Array.isArray(state) && state.includes(hostnameIn(request))
}

/**
 * Whether a library has a watermark (supplement: get-video-library).
 *
 * @param id the fixture's library by default
 * @returns undefined if no field of the record shows it
 */
export async function hasWatermark(context: CheckContext, id?: string): Promise<boolean | undefined> {
  const operation = operationOf('get-video-library')
  const path = id === undefined ? {} : pathTo(operation, id)
  const record = jsonOf(prepared(await call(context, operation, { path }), 'reading the video library'))
  const fields = Object.entries(toRecord(record))
  const exact = fields.find(([name]) => name === 'HasWatermark')
  // A record that uses another field name can still show whether a deletion had an effect.
  const [, value] = exact ?? fields.find(([name, field]) => /watermark/i.test(name) && typeof field === 'boolean') ?? []
  return typeof value === 'boolean' ? value : undefined
}

/**
 * Ensures that a library has a watermark and that its record shows it. Registers how to restore the watermark.
 *
 * @param id the fixture's library by default
 * @throws Skip if the record does not show a watermark that was set
 */
export async function prepareDeleteWatermark(context: CheckContext, id?: string): Promise<Request> {
  const put = await guardWatermark(context, id)
  const isThere = async () => (await hasWatermark(context, id)) === true
  if (!(await isThere())) {
    await send(context, 'put-watermark', put, isThere)
    if ((await hasWatermark(context, id)) === undefined || !(await eventually(context, isThere)))
      throw new Skip('the record of the video library does not show its watermark, so no deletion can be seen')
  }
  return id === undefined ? {} : { path: pathTo(operationOf('delete-watermark'), id) }
}

/** Registers the undo that restores the watermark, and returns the request of the undo. */
async function guardWatermark(context: CheckContext, id?: string): Promise<Request> {
  const put = await putRequest(context)
  await context.onUndo(
    undo(context, 'put-watermark', 'restore the watermark', { ...put, ...(id !== undefined && { id }) }),
  )
  return id === undefined ? put : { ...put, path: pathTo(operationOf('put-watermark'), id) }
}

async function preparePutWatermark(context: CheckContext): Promise<Request> {
  const put = await putRequest(context)
  // The same for all checks of a run, because a read may be stale and show what an earlier check deleted and restored.
  const there = await context.once('watermark', () =>
    eventually(context, async () => (await hasWatermark(context)) !== false),
  )
  await context.onUndo(
    there
      ? undo(context, 'put-watermark', 'restore the watermark', put)
      : undo(context, 'delete-watermark', 'delete the watermark that was set'),
  )
  return put
}

async function putRequest(context: CheckContext) {
  const file = need(context.fixtures.watermarkFile, 'watermarkFile')
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Skip(`cannot read watermarkFile ${file}: ${error.code}`)
  })
  return { body: new Uint8Array(bytes) }
}

async function prepareAddReferrer(context: CheckContext): Promise<Request> {
  const body = { Hostname: newHostname() }
  await undoHostname(context, body.Hostname, 'remove-allowed-referrer')
  return { body }
}

function undoHostname(
  context: CheckContext,
  Hostname: string,
  by: 'add-allowed-referrer' | 'remove-allowed-referrer',
): Promise<void> {
  const [verb] = by.split('-')
  return context.onUndo(
    undo(context, by, `${verb} ${Hostname || 'an empty hostname'}`, { body: JSON.stringify({ Hostname }) }),
  )
}

/** Returns the hostnames that a lenient server may store for an invalid Hostname. */
function coercions(Hostname: unknown): string[] {
  if (Hostname === true) return ['true', 'True']
  if (Hostname === null || Hostname === undefined) return ['null', 'None', '']
  return [typeof Hostname === 'object' ? '[object Object]' : String(Hostname)]
}

/**
 * Sends bodies that must be refused, and registers how to undo what a lenient server does with them. Before each
 * request, it registers the undo for the foreseeable hostnames. Afterwards, it registers the undo for every other
 * change of the allowed referrers.
 *
 * @param send sends one body
 */
export async function sendRefusable(
  context: CheckContext,
  bodies: readonly unknown[],
  send: (body: unknown) => Promise<void>,
): Promise<void> {
  const before = await readableReferrers(context)
  const foreseen = bodies.filter(isRecord).flatMap((body) => coercions(body['Hostname']))
  for (const hostname of new Set(foreseen))
    if (!before?.includes(hostname)) await undoHostname(context, hostname, 'remove-allowed-referrer')
  try {
    for (const body of bodies) await send(body)
  } finally {
    const after = await readableReferrers(context)
    if (before && after) {
      for (const hostname of after)
        if (!before.includes(hostname)) await undoHostname(context, hostname, 'remove-allowed-referrer')
      for (const hostname of before)
        if (!after.includes(hostname) && !isOurs(hostname))
          await undoHostname(context, hostname, 'add-allowed-referrer')
    }
  }
}

/**
 * Reads the allowed referrers for the undo only. If that fails, returns undefined, and the foreseeable undo steps must
 * suffice: an unreadable list is not an empty one, whose hostnames the check would have added or removed.
 */
async function readableReferrers(context: CheckContext): Promise<string[] | undefined> {
  return allowedReferrers(context).catch(() => undefined)
}

async function prepareRemoveReferrer(context: CheckContext): Promise<Request> {
  const request = await prepareAddReferrer(context)
  const isThere = async () => isListed(await allowedReferrers(context), request)
  await send(context, 'add-allowed-referrer', request, isThere)
  return request
}

/**
 * Sends a write that must succeed. If its response is lost, looks whether it was executed.
 *
 * @throws Skip if it was refused, or if its response was lost and its effect does not show
 */
async function send(
  context: CheckContext,
  name: string,
  request: Request,
  isDone: () => Promise<boolean>,
): Promise<void> {
  try {
    prepared(await call(context, operationOf(name), request), name)
  } catch (error) {
    if (!(error instanceof LostResponse)) throw error
    await context.wait(maxLagMs)
    if (!(await isDone())) throw error
  }
}

/**
 * Sends a request that must change nothing, and looks again until the state is that of before.
 *
 * @param request the valid request, prepared so that its effect would show
 */
export async function expectNoEffect(
  context: CheckContext,
  operation: Operation,
  request: Request,
  sendOther: () => Promise<ReceivedResponse>,
): Promise<void> {
  const { state, isDone } = writeOf(operation) ?? {}
  if (!state || !isDone) throw new Skip(`the suite cannot see what ${operation.name} changes`)
  let shown = ''
  const look = async (isRight: (seen: unknown) => boolean) => {
    const seen = await state(context, request)
    shown = JSON.stringify(seen)
    return isRight(seen)
  }
  await eventually(context, () => look((seen) => !isDone(seen, request)))
  const before = shown
  const answer = await sendOther()
  const isUnchanged = await eventually(context, () => look(() => shown === before))
  expect(isUnchanged, `no effect (${before})`, `${shown} after ${describeResponse(answer)}`)
}

function undo(
  context: CheckContext,
  name: string,
  text: string,
  { body, id }: { readonly body?: UndoStep['body']; readonly id?: string } = {},
): UndoStep {
  const operation = operationOf(name)
  const { libraryId, zoneId } = context.fixtures
  const fixtureId = operation.area === 'Pull Zone' ? need(zoneId, 'zoneId') : need(libraryId, 'libraryId')
  const mediaType = bodyTypeOf(operation)
  return {
    text,
    method: operation.method.toUpperCase(),
    url: urlBelow(context.management, operation.path.replace('{id}', encodeURIComponent(id ?? fixtureId))).href,
    headers: mediaType ? { 'Content-Type': mediaType } : {},
    ...(body !== undefined && { body }),
  }
}

/** Prepares and sends the write of an operation. For scenarios. */
export async function write(context: CheckContext, name: string): Promise<Request> {
  const { prepare, state, isDone } = need(writes[name], `scenario for ${name}`)
  const request = await prepare(context)
  await send(context, name, request, async () => isDone?.(await state?.(context, request), request) ?? false)
  return request
}
