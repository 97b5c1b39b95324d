import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Returns a sequencer for vitest that starts some test files first, because they take longest. By default, vitest starts large files first,
 * but the file of a campaign is small.
 *
 * @param files matches the paths of these files
 */
export function startFirst(files: RegExp): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(all: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(all)
      return sorted.toSorted((one, other) => +files.test(other.moduleId) - +files.test(one.moduleId))
    }
  }
}
