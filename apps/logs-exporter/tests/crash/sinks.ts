import { join } from 'node:path'
import { readFiles } from '../support/read-files.ts'
import type { SinkUnderTest } from './campaign.ts'

/** The files sink with one of its compressions. */
export function files(compression: 'none' | 'gzip' | 'zstd'): SinkUnderTest {
  return {
    hasFiles: true,
    open: async (folder) => ({
      config: { type: 'files', path: join(folder, 'logs'), format: 'ndjson', compression },
    }),
    readBack: async (folder, zone) => readFiles(join(folder, 'logs')).filter((segment) => segment.zone === zone),
  }
}
