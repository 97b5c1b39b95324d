import { isStated } from '@cdn/api/contract'
import { handlers } from './gen/handlers.ts'
import { platformOperations } from './platform-operations.ts'

/**
 * `x-name`s of the operations that the emulator implements: those with a handler, and those whose effect the contract states. Any
 * other operation of the contract returns 501.
 */
export const implemented: ReadonlySet<string> = new Set([
  ...handlers.keys(),
  ...platformOperations.filter(isStated).map(({ name }) => name),
])
