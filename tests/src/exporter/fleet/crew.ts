import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LeaseTimes } from '@cdn/logs-exporter/src/fleet/postgres/leases.ts'

/** Worker processes of one fleet, and what is done to them. */
export interface Crew {
  /** Kills one at random (SIGKILL) and starts another. */
  kill(): Promise<void>
  /** Stops one at random for a while (SIGSTOP) and wakes it up again. */
  stop(ms: number): Promise<void>
  /** Tells all to end. @returns their exit codes */
  end(): Promise<(number | null)[]>
  readonly done: { kills: number; stops: number }
}

/** @param onDeath told where one ends by itself, with what it said last */
export function startCrew(
  size: number,
  config: string,
  times: LeaseTimes,
  env: NodeJS.ProcessEnv,
  onDeath: (why: string) => void,
): Crew {
  const done = { kills: 0, stops: 0 }
  const meant = new Set<ChildProcess>()
  const start = () => {
    const worker = spawn(
      process.execPath,
      [fileURLToPath(new URL('worker.ts', import.meta.url)), config, JSON.stringify(times)],
      {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let said = ''
    worker.stderr?.on('data', (text) => {
      said = `${said}${text}`.slice(-2_000)
    })
    worker.on('close', (code, signal) => {
      if (!meant.has(worker)) onDeath(`a worker ended with ${code ?? signal}: ${said}`)
    })
    return worker
  }
  const workers = Array.from({ length: size }, start)
  const pick = () => Math.floor(Math.random() * size)

  return {
    done,
    async kill() {
      const place = pick()
      const worker = workers[place]
      if (!worker) return
      meant.add(worker)
      const gone = once(worker, 'close')
      worker.kill('SIGKILL')
      await gone
      workers[place] = start()
      done.kills++
    },
    async stop(ms) {
      const worker = workers[pick()]
      worker?.kill('SIGSTOP')
      await sleep(ms)
      worker?.kill('SIGCONT')
      done.stops++
    },
    async end() {
      return Promise.all(
        workers.map(async (worker) => {
          meant.add(worker)
          if (worker.exitCode !== null) return worker.exitCode
          const gone = once(worker, 'close')
          worker.kill('SIGTERM')
          const [code] = (await gone) as [number | null]
          return code
        }),
      )
    },
  }
}
