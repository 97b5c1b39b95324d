/** The short form of `scripts/reproduce.ts`. */
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { applicableMutants } from './all.ts'
import { failureOf, reproduce } from './reproduce.ts'

test.each(['status.read-log-file.400-422', 'scope.list-video-libraries.user-refused', 'v2.filter-first-value'])(
  'a failure of %s is seen again by its stored case, and by the commands of its evidence',
  async (id) => {
    const mutant = defined(applicableMutants.find((each) => each.id === id))
    const failure = defined(await failureOf(mutant, ([first]) => first))
    expect(await reproduce(failure, 2)).toMatchObject({ replays: 2, commands: 2 })
  },
)
