/** The contract as a typed model, for tools that read it: test suites, emulators, command lines. */
import loggingFull from '../gen/logging.full.json' with { type: 'json' }
import loggingSpec from '../gen/logging.spec.json' with { type: 'json' }
import managementFull from '../gen/management.full.json' with { type: 'json' }
import managementSpec from '../gen/management.spec.json' with { type: 'json' }
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
  fieldsIn,
  findItem,
  type Item,
  idOf,
  isStated,
  itemOf,
  type ModelCall,
  type ModelRequest,
  type ModelState,
  memberValue,
  type PredictedOutcome,
  type StatedOperation,
  withChange,
} from './state.ts'
export { parseContract }

// The linter of the specs enforces the form of the generated documents.
const parse = (name: InterfaceName, spec: object, full: object) => parseContract(name, spec as OpenApi, full as OpenApi)

export const contracts: Readonly<Record<InterfaceName, Contract>> = {
  management: parse('management', managementSpec, managementFull),
  logging: parse('logging', loggingSpec, loggingFull),
}

/** The operations of both interfaces, in the order of the specs. */
export const operations: readonly Operation[] = Object.values(contracts).flatMap((contract) => contract.operations)

/** Finds the operation of a request. Only path templates of the given interface are compared. */
export const route: Router = createRouter(operations)
