import type { Operation } from '@cdn/api/contract'
import { onClosedRange } from '../../core/logs.ts'
import { type Draft, type Drafted, draft } from './contract-checks.ts'

/**
 * Makes checks that compare reads of closed ranges of the logged pull zone. Their basis is the supplement, because the
 * spec states no parameter and no field of the logs.
 */
export function onClosedRanges(operation: Operation, drafts: readonly Draft[]): Drafted[] {
  return drafts.map((each) =>
    draft(operation, {
      needs: ['loggedZoneId', 'credentials.accessKey'],
      basis: 'supplement',
      ...each,
      run: (context) => onClosedRange(context, () => each.run(context)),
    }),
  )
}
