#!/usr/bin/env node
import { version } from './version.ts'

// The quickest way first: nothing else is loaded for it.
if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2] ?? '')) process.stdout.write(`${version}\n`)
else await import('./start.ts')
