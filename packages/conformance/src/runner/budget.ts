import { Skip } from '../core/failure.ts'

/** The number of requests that a run may still send. */
export interface RequestBudget {
  /**
   * Takes one request.
   *
   * @throws Skip if no request is left
   */
  take(): void
  isSpent(): boolean
}

export const budgetSpent = 'budget spent'

/**
 * Creates a budget. A check takes one request for each undo when it registers the undo, so that an undo never lacks
 * budget. Retries of an undo may exceed the budget.
 *
 * @param requests maximum number of requests; unlimited by default
 */
export function createRequestBudget(requests = Number.POSITIVE_INFINITY): RequestBudget {
  let left = requests
  return {
    take() {
      // The remaining checks are skipped.
      if (left < 1) throw new Skip(budgetSpent)
      left--
    },
    isSpent: () => left < 1,
  }
}
