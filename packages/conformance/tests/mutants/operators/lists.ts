/** Mutants of operations on lists of values, and of safe methods on the path of a change. */
import { setTimeout } from 'node:timers/promises'
import { collectionOf, route, type StatedOperation } from '@cdn/api/contract'
import type { Emulator, EmulatorRequest } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { bodyOf, keepBody } from '../alter.ts'
import { beyond, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { changes, isSuccess, parametersOf } from './changes.ts'

type Change = (values: readonly unknown[], sent: string, earlier: readonly unknown[]) => readonly unknown[]

/** Replaces the list after each success. `earlier` is the list when the request arrived. */
function withList(operation: StatedOperation, field: string, value: string, change: Change, delayMs = 0) {
  const listIn = ({ state }: Emulator, call: EmulatorRequest) => {
    const parameters = parametersOf(operation, call)
    const at = [collectionOf(operation, parameters), String(Object.values(parameters).at(-1))] as const
    const values = state.resources.item(...at)?.[field]
    return { at, values: Array.isArray(values) ? values : [] }
  }
  return on([operation.name], (emulator) => async (received, served, next) => {
    const call = keepBody(received)
    const { values: earlier } = listIn(emulator, call)
    if (delayMs > 0) await setTimeout(delayMs)
    const response = await next(call, served)
    const { at, values } = listIn(emulator, call)
    const sent = String(toRecord(await bodyOf(call))[value])
    if (isSuccess(response) && emulator.state.resources.item(...at))
      emulator.state.resources.change(...at, { [field]: change(values, sent, earlier) })
    return response
  })
}

export const listMutants: readonly ServerUnderTest[] = changes.flatMap((operation) => {
  const { action, name, interface: of } = operation
  if (!('value' in action) || action.member !== undefined) return []
  const effect = `${of}.${name}.effect`
  const isAdd = action.kind === 'add'
  const overlaps = (one: unknown, other: unknown) => one !== other && String(one).includes(String(other))
  const related: Change = (values, sent) =>
    values.filter((each) => !(isAdd ? overlaps(sent, each) : overlaps(each, sent)))
  const overwritten: Change = (_, sent, earlier) => {
    const others = earlier.filter((each) => each !== sent)
    return isAdd ? [...others, sent] : others
  }
  const made = (kind: string, text: string, change: Change, delayMs?: number) =>
    mutant(
      `list.${name}.${kind}`,
      `${name} ${text}.`,
      [effect],
      withList(operation, action.field, action.value, change, delayMs),
    )
  return [
    made('related', 'changes values that overlap with the one of the request', related),
    made('lost-update', 'loses what other requests change at the same time', overwritten, 1),
  ]
})

export const safeMethodMutants: readonly ServerUnderTest[] = changes
  .filter(({ action }) => action.kind !== 'create')
  .map((operation) =>
    beyond(
      `method.${operation.name}.head`,
      `HEAD on the path of ${operation.name} deletes the items.`,
      `${operation.interface}.${operation.name}.effect`,
      ({ method, url }, { state: { resources }, managementUrl }) => {
        const path = new URL(url).pathname.slice(managementUrl.pathname.replace(/\/$/, '').length)
        const match = method === 'HEAD' && route(operation.interface, operation.method.toUpperCase(), path)
        if (!match || !('operation' in match) || match.operation.name !== operation.name) return
        resources.all = { ...resources.all, [collectionOf(operation, match.parameters)]: [] }
      },
    ),
  )
