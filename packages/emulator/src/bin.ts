#!/usr/bin/env -S node --max-semi-space-size=16
// An old Node cannot parse the other modules, so the version check runs before they are loaded.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

if (checkNodeVersion('cdn-emulator', engines.node)) {
  Promise.all([import('@cdn/kit/run-to-end'), import('./cli/run.ts')]).then(([{ runToEnd }, { runCli }]) =>
    runToEnd('cdn-emulator', 1, () => runCli(process.argv.slice(2))),
  )
}
