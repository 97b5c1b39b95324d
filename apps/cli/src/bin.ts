#!/usr/bin/env node
// An old Node cannot parse the modules that this file loads, so the version check runs before the imports.
import { checkNodeVersion } from '@cdn/kit/node-version'
import description from '../package.json' with { type: 'json' }

if (checkNodeVersion('cdn', description.engines.node)) {
  // The fast path: the version needs no other module.
  if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2] || '')) {
    process.stdout.write(`${description.version}\n`)
  } else import('./start.ts')
}
