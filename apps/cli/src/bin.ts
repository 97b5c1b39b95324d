#!/usr/bin/env node
// Checks the version before it loads `main.ts`: an old Node cannot parse the modules of the program.
import { checkNodeVersion } from '@cdn/kit/node-version'
import description from '../package.json' with { type: 'json' }

if (checkNodeVersion('cdn', description.engines.node)) import('./main.ts').then(({ runProcess }) => runProcess())
