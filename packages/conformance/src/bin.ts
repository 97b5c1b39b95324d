#!/usr/bin/env node
// An old Node cannot parse the modules that are imported later, so this file first checks the version of Node.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// Exit code 1 would mean that the platform does not conform.
const internal = 2
let isCut = false

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A command such as `list | head` closes the pipe before everything is written.
  if (error.code === 'EPIPE') return
  if (!isCut) process.stderr.write(`conformance: The output cannot be written (${error.code}).\n`)
  isCut = true
  process.exitCode ||= internal
})

if (checkNodeVersion('cdn-conformance', engines.node)) {
  Promise.all([import('@cdn/kit/proxy'), import('./cli/cli.ts')])
    .then(([{ useProxy }, { runConformance }]) =>
      useProxy('conformance')
        ? runConformance(process.argv.slice(2), process.env, { out: process.stdout, err: process.stderr })
        : internal,
    )
    .then(
      (code) => {
        process.exitCode = isCut ? code || internal : code
      },
      (error: unknown) => {
        console.error(error)
        process.exitCode = internal
      },
    )
}
