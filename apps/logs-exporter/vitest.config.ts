import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the campaigns first, because they take longest. Vitest starts large files first, and the campaigns are small files. */
class CampaignsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isCampaign = ({ moduleId }: TestSpecification) => /\/tests\/(shards|crash|stdout)\b/.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isCampaign), ...sorted.filter((file) => !isCampaign(file))]
  }
}

export default defineConfig({ test: { sequence: { sequencer: CampaignsFirst } } })
