import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))

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

/** Keeps processes running as an orchestrator does. Each process has a name and a disk, and is restarted when it ends. */
export interface Supervisor {
  start(name: string, shard: string): Promise<void>
  /** Ends a process without a restart. Resolves after the process has ended. */
  end(name: string, signal: NodeJS.Signals): Promise<void>
  signal(name: string, signal: NodeJS.Signals): void
  loseDisk(name: string): void
  names(): string[]
  /** Whether a shard has read all windows of its zones that end by `to`, including their last recheck. */
  isDone(name: string, zones: readonly string[], to: number): boolean
  /** Number of ranges reported as lost. */
  gaps(): number
}

interface Settings {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** All settings except the ledger. */
  readonly config: object
  /** Whether a killed process loses its disk, as a pod loses its `emptyDir`. */
  readonly isDiskLostWithKill: boolean
}

const restartMs = 1000

/** Creates a supervisor. It has no running processes yet. */
export function createSupervisor({ folder, env, config, isDiskLostWithKill }: Settings): Supervisor {
  const running = new Map<string, { child: ChildProcess }>()
  const shards = new Map<string, string>()
  let gaps = 0

  function begin(name: string, path: string, shard: string): ChildProcess {
    const child = startExporter(['run', '--config', path, '--shard', shard], env, (line) => {
      if (line.includes('"a range is lost"')) gaps++
    })
    child.once('close', (_code, signal) => {
      if (signal === 'SIGKILL' && isDiskLostWithKill) loseDisk(name)
      setTimeout(() => {
        const entry = running.get(name)
        if (entry?.child === child) entry.child = begin(name, path, shard)
      }, restartMs)
    })
    return child
  }
  const loseDisk = (name: string) => rmSync(join(folder, name), { recursive: true, force: true })
  const open = (name: string) => {
    const [index] = (shards.get(name) ?? '').split('/')
    return new DatabaseSync(join(folder, name, `shard-${index}`, 'ledger.sqlite'), { readOnly: true, timeout: 1000 })
  }

  return {
    async start(name, shard) {
      const path = join(folder, `${name}.yaml`)
      await writeFile(path, JSON.stringify({ ...config, ledger: join(folder, name) }))
      shards.set(name, shard)
      running.set(name, { child: begin(name, path, shard) })
    },
    async end(name, signal) {
      const entry = running.get(name)
      running.delete(name)
      if (!entry || entry.child.exitCode !== null || entry.child.signalCode !== null) return
      const gone = once(entry.child, 'close')
      entry.child.kill(signal)
      await gone
    },
    signal: (name, signal) => void running.get(name)?.child.kill(signal),
    loseDisk,
    names: () => [...running.keys()],
    isDone(name, zones, to) {
      try {
        const ledger = open(name)
        const position = ledger.prepare('SELECT position FROM zone WHERE zone = ?')
        const isRead = zones.every((zone) => Number(position.get(zone)?.['position'] ?? 0) >= to)
        const rechecks = ledger
          .prepare('SELECT count(*) AS n FROM window WHERE "to" <= ? AND recheckDue IS NOT NULL')
          .get(to)
        ledger.close()
        return isRead && Number(rechecks?.['n']) === 0
      } catch {
        return false // the process is starting
      }
    },
    gaps: () => gaps,
  }
}
