import type { Check } from '../check.ts'
import { logFileProbes } from './log-file.ts'
import { loggingProbes } from './logging.ts'
import { managementProbes } from './management.ts'
import { toCheck } from './probe.ts'
import { rateLimitProbes } from './rate-limit.ts'

export const allProbes = [...managementProbes, ...loggingProbes, ...logFileProbes, ...rateLimitProbes]

/** The probes as checks, after which the runner treats them as any other. */
export const probes: readonly Check[] = allProbes.map(toCheck)
