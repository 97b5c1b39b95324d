#!/usr/bin/env node
// An old Node cannot parse the modules that are imported later, so this file first checks the version of Node.
import { readFileSync } from 'node:fs'
import { checkNodeVersion } from '@cdn/kit/node-version'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// Exit code 1 would mean that the platform does not conform.
const suiteErrorCode = 2

if (checkNodeVersion('cdn-conformance', engines.node)) {
  Promise.all([import('@cdn/kit/run-to-end'), import('@cdn/kit/proxy'), import('./cli/cli.ts')]).then(
    ([{ runToEnd }, { useProxy }, { runConformance }]) =>
      runToEnd('conformance', suiteErrorCode, async () =>
        useProxy('conformance')
          ? runConformance(process.argv.slice(2), process.env, { out: process.stdout, err: process.stderr })
          : suiteErrorCode,
      ),
  )
}
