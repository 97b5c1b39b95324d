import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The campaigns are short files that take longest. Vitest begins with long files, so it would begin the campaigns last. */
class CampaignsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isCampaign = ({ moduleId }: TestSpecification) => /\/(shards|crash|deliver)\//.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isCampaign), ...sorted.filter((file) => !isCampaign(file))]
  }
}

export default defineConfig({ test: { sequence: { sequencer: CampaignsFirst } } })
