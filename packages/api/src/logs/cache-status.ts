import type { components } from '../gen/logging.ts'

/** A cache status of the contract (§2), or any other text, because readers must not break on a new one. */
export type CacheStatus = components['schemas']['CacheStatus'] | (string & {})
