import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bin } from './cli.ts'

/**
 * Starts the exporter's command line in a separate process.
 *
 * @param onLog called with each line of the process's log
 */
export function startExporter(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLog: (line: string) => void = () => {},
): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', bin, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  createInterface(child.stderr).on('line', onLog)
  return child
}
