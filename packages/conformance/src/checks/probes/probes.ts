import type { Check } from '../../core/check.ts'
import { logFileProbes } from './log-file.ts'
import { loggingProbes } from './logging.ts'
import { managementProbes } from './management.ts'
import { probeCheck } from './probe.ts'
import { rateLimitProbes } from './rate-limit.ts'

export const allProbes = [...managementProbes, ...loggingProbes, ...logFileProbes, ...rateLimitProbes]

/** The probes as checks. The runner treats them like any other check. */
export const probes: readonly Check[] = allProbes.map(probeCheck)
