import { handlers } from './gen/handlers.ts'

/** `x-name`s of the operations that the emulator implements. Any other operation of the contract returns 501. */
export const implemented: ReadonlySet<string> = new Set(handlers.keys())
