import { implemented } from '@cdn/emulator'
import { createPlan } from '../../src/index.ts'
import { accessMutants } from './custom/access.ts'
import { codingMutants } from './custom/codings.ts'
import { managementMutants } from './custom/management.ts'
import { queryLogsMutants } from './custom/query-logs.ts'
import { readLogFileMutants } from './custom/read-log-file.ts'
import type { ServerUnderTest } from './mutant.ts'
import { requestBodyMutants, responseBodyMutants } from './operators/bodies.ts'
import { changeMutants } from './operators/changes.ts'
import { credentialMutants } from './operators/credentials.ts'
import { errorBodyMutants, errorCodeMutants, errorTypeMutants } from './operators/errors.ts'
import { excessMutants } from './operators/excess-changes.ts'
import { rateLimitMutants, retentionMutants } from './operators/limits.ts'
import { cacheStatusMutants, parameterMutants, validationMutants } from './operators/logs.ts'
import { negotiationMutants } from './operators/negotiation.ts'
import { robustnessMutants } from './operators/robustness.ts'
import { statusMutants } from './operators/statuses.ts'

const plan = createPlan()
const checkable = new Set(plan.requirements.filter(({ unchecked }) => unchecked === undefined).map(({ id }) => id))

/**
 * Mutants from the contract. Operators make them for each operation, even for the operations of a new area. An operator lists
 * every requirement that a mistake breaks. Requirements without a check are removed here.
 */
export const operatorMutants: readonly ServerUnderTest[] = [
  ...statusMutants,
  ...changeMutants,
  ...excessMutants,
  ...credentialMutants,
  ...requestBodyMutants,
  ...robustnessMutants,
  ...responseBodyMutants,
  ...errorBodyMutants,
  ...errorCodeMutants,
  ...errorTypeMutants,
  ...cacheStatusMutants,
  ...parameterMutants,
  ...validationMutants,
  ...rateLimitMutants,
  ...retentionMutants,
  ...negotiationMutants,
].flatMap((mutant) => {
  const breaks = mutant.breaks.filter((id) => checkable.has(id))
  return breaks.length > 0 ? [{ ...mutant, breaks }] : []
})

/** Hand-written mutants for mistakes that no operator makes. */
export const customMutants: readonly ServerUnderTest[] = [
  ...managementMutants,
  ...queryLogsMutants,
  ...readLogFileMutants,
  ...accessMutants,
  ...codingMutants,
]

export const serverMutants: readonly ServerUnderTest[] = [...operatorMutants, ...customMutants]

/** Mutants of operations that the emulator implements. The others cannot be applied, because a mutant changes the emulator. */
export const applicableMutants: readonly ServerUnderTest[] = serverMutants.filter(
  ({ operations }) => operations?.some((name) => implemented.has(name)) ?? true,
)
