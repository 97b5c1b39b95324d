/** Validation of responses against the contract at run time. Loads the contracts and a validator of JSON schemas. */
export {
  type Breach,
  carriesCode,
  isOfGateway,
  matchesStatus,
  parseOrUndefined,
  type ReceivedResponse,
  snippet,
  validateBody,
  validateResponse,
} from './validate-response.ts'
export { type Drift, DriftError, type DriftOptions, withDrift } from './with-drift.ts'
