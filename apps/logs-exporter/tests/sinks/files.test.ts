import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { FormatConfig } from '../../src/config/config.ts'
import { createFormat } from '../../src/formats/index.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { sinkContract } from './contract.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exporter-files-'))
})
afterAll(() => rm(folder, { recursive: true }))

const formats: FormatConfig[] = [
  { format: 'ndjson', compression: 'gzip' },
  { format: 'parquet', compression: 'zstd' },
]
describe.each(formats)('files, $format', (options) => {
  sinkContract(async (place) => {
    return openFilesSink({ path: join(folder, options.format, place), format: await createFormat(options) })
  })
})
