import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a subject says once it is ready. */
export interface Ready {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly accessKey: string
}

/** A server in a process of its own, so that the client's work is not its work. */
export interface Subject extends Ready {
  /** Asks for something that the subject's program knows, and waits for the answer. */
  ask<T>(question: unknown): Promise<T>
  /** Holds it, all its threads, on one core; false where the machine has no way to say so. */
  pin(core: number): boolean
  stop(): Promise<void>
}

/**
 * `cdn-emulator` starts with this limit too: on a machine with much memory V8 otherwise lets dead rows pile up. All
 * subjects get it, so that they stay comparable.
 */
const youngGeneration = '--max-semi-space-size=16'

/**
 * Starts `subjects/<name>.ts`.
 *
 * @param options what the program is told, as JSON
 */
export async function startSubject(name: string, options: unknown = {}): Promise<Subject> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = fork(file, [JSON.stringify(options)], { execArgv: ['--expose-gc', youngGeneration], stdio: 'inherit' })
  const ready = await answerOf<Ready>(child)
  return {
    ...ready,
    ask(question) {
      child.send(question as object)
      return answerOf(child)
    },
    pin: (core) => spawnSync('taskset', ['-acp', String(core), String(child.pid)], { stdio: 'ignore' }).status === 0,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('A subject ended before it answered'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as T)
    })
  })
}
