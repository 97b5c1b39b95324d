import { createValidators } from '@cdn/kit/contract-validator'

/** Validators of the schemas of the contract and of the configuration; all errors are reported at once. */
export const validatorOf = createValidators(true)
