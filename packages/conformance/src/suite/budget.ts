import { Skip } from '../failure.ts'

/** How many requests a run may still send. */
export interface Budget {
  /**
   * Takes one request.
   *
   * @throws BudgetSpent where none is left
   */
  take(): void
  isSpent(): boolean
}

/** The run has sent what it may: the rest is skipped. */
export class BudgetSpent extends Skip {
  constructor() {
    super('budget spent')
  }
}

/**
 * Makes a budget. Whoever writes takes the request of the undo beforehand, so that no write stays for want of it; an undo
 * that has to be tried again goes beyond.
 *
 * @param requests how many; without bounds where absent
 */
export function createBudget(requests = Number.POSITIVE_INFINITY): Budget {
  let left = requests
  return {
    take() {
      if (left < 1) throw new BudgetSpent()
      left--
    },
    isSpent: () => left < 1,
  }
}
