#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=4 --initial-heap-size=48
// Why the flags of the first line: pages lie outside the V8 heap, so the heap stays small. Without some initial room, V8
// would run its marker all the time. With the malloc threshold, glibc returns freed buffers to the system and leaves no holes.
// An old Node cannot parse the modules that this file loads, so the version check runs before the imports.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// The reader of the output may close it early: `status | head`.
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
