#!/usr/bin/env node
// Checks the version before it loads `main.ts`: an old Node cannot parse the modules of the program.
import { checkNodeVersion } from '@cdn/kit/node-version'
import description from '../package.json' with { type: 'json' }

if (checkNodeVersion('cdn', description.engines.node)) {
  // A fast path for `--version`, which needs no other module.
  if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2] || '')) {
    process.stdout.write(`${description.version}\n`)
  } else import('./main.ts').then(({ runProcess }) => runProcess())
}
