import { clientCalls } from './client-calls.ts'
import { clientLogs } from './client-logs.ts'
import { clientSizes } from './client-sizes.ts'
import { clientTypes } from './client-types.ts'
import type { Measurement } from './row.ts'

/** Measurements of the client (`@cdn/api`). */
export const client: readonly Measurement[] = [clientSizes, clientCalls, clientLogs, clientTypes]
