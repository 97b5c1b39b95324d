#!/usr/bin/env node
import { main } from './cli/main.ts'

// Whoever reads the output may stop when it has seen enough: `status | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await main(process.argv.slice(2), { env: process.env, out: process.stdout, err: process.stderr })
