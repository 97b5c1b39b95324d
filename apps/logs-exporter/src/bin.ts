#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=4 --initial-heap-size=48
// About the first line: pages lie outside the heap, which itself is small: V8 would mark it all the time, for as long as the rest
// takes, if it did not begin with some room. Buffers go back to the system (glibc) when they are free, instead of leaving holes.
import { main } from './cli/main.ts'

// Whoever reads the output may stop when it has seen enough: `status | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await main(process.argv.slice(2), { env: process.env, out: process.stdout, err: process.stderr })
