/** The contract as a typed model, for tools that read it: test suites, emulators, command lines. */
import { layers } from '../gen/contracts.ts'
import type { Contract, InterfaceName, OpenApi, Operation } from './model.ts'
import { parseContract } from './parse.ts'
import { createRouter, type Router } from './route.ts'

export type * from './model.ts'
export { createRouter, type Route, type Router } from './route.ts'
export { isKnownFormat, plainSchema, type Resolve, type SampleStyle, sampleOf, sampleParameter } from './sample.ts'
export {
  apply,
  type Complete,
  collectionOf,
  findItem,
  type Item,
  idOf,
  isStated,
  itemOf,
  type ModelRequest,
  type ModelState,
  type Outcome,
  type StatedOperation,
} from './state.ts'
export { inverseOf, type ModelCall, readsOf } from './undo.ts'
export { parseContract }

// The generated table has one entry per interface, with its bundled OpenAPI documents.
const entries = Object.entries(layers) as [InterfaceName, { spec: OpenApi; full: OpenApi }][]

/** The contract of each interface: first the interfaces of the spec, then the imported ones, sorted by name. */
export const contracts = Object.fromEntries(
  entries.map(([name, { spec, full }]) => [name, parseContract(name, spec, full)]),
) as Readonly<Record<InterfaceName, Contract>> // `entries` has every interface

/** The operations of all interfaces, in the order of the specs. */
export const operations: readonly Operation[] = Object.values(contracts).flatMap((contract) => contract.operations)

/** Finds the operation of a request. Only path templates of the given interface are compared. */
export const route: Router = createRouter(operations)
