import { implemented } from '@cdn/emulator'
import { createPlan } from '../plan.ts'
import { errorMutants } from './by-hand/errors.ts'
import { logAccessMutants } from './by-hand/log-access.ts'
import { queryLogsMutants } from './by-hand/query-logs.ts'
import { readLogFileMutants } from './by-hand/read-log-file.ts'
import { referrerMutants } from './by-hand/referrers.ts'
import { v2PageMutants } from './by-hand/v2-pages.ts'
import { watermarkMutants } from './by-hand/watermarks.ts'
import type { Mutant } from './mutant.ts'
import { requestBodyMutants, responseBodyMutants } from './operators/bodies.ts'
import { credentialMutants } from './operators/credentials.ts'
import { errorBodyMutants, errorCodeMutants } from './operators/errors.ts'
import { rateLimitMutants, retentionMutants } from './operators/limits.ts'
import { cacheStatusMutants, parameterMutants } from './operators/logs.ts'
import { statusMutants } from './operators/statuses.ts'

const plan = createPlan()
const checkable = new Set(plan.requirements.filter(({ unchecked }) => unchecked === undefined).map(({ id }) => id))

/**
 * Made from the contract: an operation of a new area brings its own. An operator speaks of all that a mistake breaks; what no
 * check of the operation looks at is left out.
 */
export const operatorMutants: readonly Mutant[] = [
  ...statusMutants,
  ...credentialMutants,
  ...requestBodyMutants,
  ...responseBodyMutants,
  ...errorBodyMutants,
  ...errorCodeMutants,
  ...cacheStatusMutants,
  ...parameterMutants,
  ...rateLimitMutants,
  ...retentionMutants,
].flatMap((mutant) => {
  const breaks = mutant.breaks.filter((id) => checkable.has(id))
  return breaks.length > 0 ? [{ ...mutant, breaks }] : []
})

/** Mistakes that no operator makes. */
export const handMutants: readonly Mutant[] = [
  ...watermarkMutants,
  ...referrerMutants,
  ...errorMutants,
  ...logAccessMutants,
  ...queryLogsMutants,
  ...v2PageMutants,
  ...readLogFileMutants,
]

export const mutants: readonly Mutant[] = [...operatorMutants, ...handMutants]

/** Those of operations that the emulator has: there must be a right server to be broken. */
export const applicableMutants: readonly Mutant[] = mutants.filter(
  ({ operations }) => operations?.some((name) => implemented.has(name)) ?? true,
)
