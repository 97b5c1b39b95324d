#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=4 --initial-heap-size=48
// Why the first line has flags: pages lie outside the V8 heap, so the heap can stay small. But without some initial room, V8
// would mark all the time. The malloc threshold makes glibc return freed buffers to the system, so no holes remain.
// The version check runs before the imports, because an old Node cannot parse the modules that this file loads.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// Ignores EPIPE: the reader of the output may close it early, as in `status | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

if (checkNodeVersion('cdn-logs-exporter', engines.node)) {
  import('./cli/main.ts')
    .then(({ runExporter }) =>
      runExporter(process.argv.slice(2), { env: process.env, out: process.stdout, err: process.stderr }),
    )
    .then((code) => {
      process.exitCode = code
    })
}
