/** The hand-written table of facts: every fact of the spec with its section and its place in the contract. */
import { globSync } from 'node:fs'
import { kebabCase } from '@cdn/kit/case'
import { entries, type Fact, facts, pointer, present } from './facts/fact.ts'
import { areas, loggingFacts, managementFacts } from './facts/operations.ts'
import { requirementFacts, unspecifiedFacts } from './facts/requirements.ts'

/** What the file of an area in `facts/areas` exports. `pnpm new-area` creates it. */
interface AreaFile {
  readonly area: string
  readonly areaFacts: readonly Fact[]
}

const files = globSync('facts/areas/*.ts', { cwd: import.meta.dirname }).sort()
const others = await Promise.all(files.map((file): Promise<AreaFile> => import(new URL(file, import.meta.url).href)))
const withOperations = ['Stream Video Library', 'Pull Zone', ...others.map(({ area }) => area)]
const withoutOperations = areas.filter((area) => !withOperations.includes(area))

export const tableOfFacts: readonly Fact[] = [
  ...[...withOperations, ...withoutOperations].flatMap((area) =>
    facts('1', 'management', pointer('tags', area), { '': present }),
  ),
  ...withoutOperations.flatMap((area) =>
    entries('management', ['tags', area, 'x-unspecified'], `${kebabCase(area)}.`, { '1': ['operations'] }),
  ),
  ...managementFacts,
  ...loggingFacts,
  ...requirementFacts,
  ...unspecifiedFacts,
  ...others.flatMap(({ areaFacts }) => areaFacts),
]
