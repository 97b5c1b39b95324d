/**
 * A program for a copy of the repository. It sends every operation whose effect the contract of the management interface states to an
 * emulator with one item in each collection, and validates the responses against the contract.
 */
import { contracts, isStated, type Resource, type Schema, type StatedOperation } from '@cdn/api/contract'
import { createEmulator } from '@cdn/emulator'
import { createValidators } from '@cdn/kit/contract-validator'
import { stringifyJson } from '@cdn/kit/json'
import { blankOf } from '../../../packages/emulator/src/platform/state/resources.ts'

const { operations, resources, openapi } = contracts.management
const validatorOf = createValidators(true)
const emulator = await createEmulator()
const { state, fixtures } = emulator
const now = emulator.clock.now()

/** Creates an item in a collection, after those that contain it. Returns the path of the collection. */
function addItem({ path, parent, id, ...resource }: Resource): string {
  const below = parent ? `${addItem(parent)}/${idIn(parent)}${path.slice(path.indexOf('}') + 1)}` : path
  const item = state.resources.complete({}, { ...resource, path, ...(id !== undefined && { id }) }, [])
  const fixed = id === undefined ? item : { ...item, [id]: idValue(resource.fields[id]) }
  state.resources.all = { ...state.resources.all, [below]: [fixed] }
  return below
}

const idValue = (schema: Schema | undefined) => ([schema?.type].flat().includes('string') ? '1' : 1)
const idIn = ({ id }: Resource) => (id === undefined ? '' : '1')

/** Sends a valid request; returns a sentence about an invalid response. */
async function faultOf(operation: StatedOperation): Promise<string | undefined> {
  addItem(operation.resource)
  const query = operation.parameters.filter(({ in: place, required }) => place === 'query' && required)
  const search = new URLSearchParams(
    query.map(({ name, schema }) => [name, String(blankOf(schema, openapi.full, now) ?? 1)]),
  )
  const url = new URL(`${operation.path.replaceAll(/\{[^}]*\}/g, '1')}?${search}`, emulator.managementUrl)
  const schema = operation.requestBody?.content['application/json']
  const response = await emulator.fetch(url, {
    method: operation.method.toUpperCase(),
    headers: { AccessKey: fixtures.credentials.accessKey, ...(schema && { 'Content-Type': 'application/json' }) },
    ...(schema && { body: stringifyJson(blankOf(schema, openapi.full, now)) ?? '' }),
    ...(operation.requestBody && !schema && { body: 'image' }),
  })
  const text = await response.text()
  const stated = operation.responses.find(({ status }) => status === String(response.status))
  const title = `${operation.method.toUpperCase()} ${operation.path}`
  if (!stated || response.status >= 300) return `${title}: ${response.status} ${text.slice(0, 200)}`
  const shown = stated.content['application/json']
  if (!shown) return undefined
  const validate = validatorOf(shown, openapi.full)
  if (validate(JSON.parse(text))) return undefined
  return `${title}: ${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}`
}

const stated = operations.filter(isStated)
const faults: string[] = []
for (const operation of stated) faults.push(...[await faultOf(operation)].filter((fault) => fault !== undefined))
console.log(
  JSON.stringify({
    operations: operations.length,
    resources: resources.length,
    stated: stated.length,
    valid: stated.length - faults.length,
    faults,
  }),
)
