/** The contract as a typed model, for tools that read it: suites, emulators, command lines. */
import loggingDocument from '../gen/logging.document.json' with { type: 'json' }
import loggingFull from '../gen/logging.full.json' with { type: 'json' }
import managementDocument from '../gen/management.document.json' with { type: 'json' }
import managementFull from '../gen/management.full.json' with { type: 'json' }
import type { Contract, InterfaceName, OpenApi, Operation } from './model.ts'
import { parseContract } from './parse.ts'
import { createRouter, type Router } from './route.ts'

export type * from './model.ts'
export { createRouter, type Route, type Router } from './route.ts'
export { parseContract }

/** The contract of each interface. */
export const contracts: Readonly<Record<InterfaceName, Contract>> = {
  management: parseContract(
    'management',
    managementDocument as unknown as OpenApi,
    managementFull as unknown as OpenApi,
  ),
  logging: parseContract('logging', loggingDocument as unknown as OpenApi, loggingFull as unknown as OpenApi),
}

/** All operations of both interfaces, in the order of the specs. */
export const operations: readonly Operation[] = Object.values(contracts).flatMap((contract) => contract.operations)

/** Finds the operation of a request by the path templates of both contracts. */
export const route: Router = createRouter(operations)
