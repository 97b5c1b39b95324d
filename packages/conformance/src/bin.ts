#!/usr/bin/env node
// An old Node cannot parse the modules that are imported later, so this file first checks the version of Node.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// A command such as `list | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

if (checkNodeVersion('cdn-conformance', engines.node)) {
  import('./cli/cli.ts')
    .then(({ runConformance }) =>
      runConformance(process.argv.slice(2), process.env, { out: process.stdout, err: process.stderr }),
    )
    .then((code) => {
      process.exitCode = code
    })
}
