#!/usr/bin/env -S node --max-semi-space-size=16
// An old Node cannot parse the other modules, so the version check runs before they are loaded.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// A command such as `--help | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

if (checkNodeVersion('cdn-emulator', engines.node)) {
  import('./cli/run.ts')
    .then(({ runCli }) => runCli(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}
