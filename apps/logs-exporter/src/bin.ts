#!/usr/bin/env node
// The version check runs before the dynamic imports below, because an old Node cannot parse those modules.
import { checkNodeVersion } from '@cdn/kit/node-version'
import manifest from '../package.json' with { type: 'json' }
import { allocator, hideExperimentalWarnings, nodeFlags } from './process-flags.ts'

hideExperimentalWarnings()

/**
 * Starts this program anew in the same process, with the flags and variables, if its command reads logs. The `#!` line cannot hold the flags:
 * package managers replace it by scripts of their own, and not every `env` can split it. Windows cannot replace a process.
 */
function restartWithFlags(): void {
  const readsLogs = ['run', 'backfill'].includes(String(process.argv[2]))
  if (!readsLogs || nodeFlags.every((flag) => process.execArgv.includes(flag)) || process.platform === 'win32') return
  const args = [...nodeFlags, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, [process.execPath, ...args], { ...allocator, ...process.env })
}

if (checkNodeVersion('cdn-logs-exporter', manifest.engines.node)) {
  if (process.argv.length === 3 && process.argv[2] === '--version') process.stdout.write(`${manifest.version}\n`)
  else {
    restartWithFlags()
    Promise.all([import('@cdn/kit/run-to-end'), import('@cdn/kit/proxy'), import('./cli/main.ts')]).then(
      ([{ runToEnd }, { useProxy }, { runExporter }]) =>
        runToEnd('cdn-logs-exporter', 1, async () =>
          useProxy('cdn-logs-exporter')
            ? runExporter(process.argv.slice(2), { env: process.env, out: process.stdout, err: process.stderr })
            : 2,
        ),
    )
  }
}
