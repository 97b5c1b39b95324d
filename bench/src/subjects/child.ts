import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The message that a server sends when it is ready. */
export interface Ready {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly accessKey: string
}

/** A server in a separate process, so that its processor time does not include that of the client. */
export interface Subject extends Ready {
  /** Sends a message to the process and waits for the reply. @throws Error if the process exits before it replies */
  ask<T>(question: object): Promise<T>
  /** Pins all threads of the process to one core; returns false if the machine does not support that. */
  pin(core: number): boolean
  stop(): Promise<void>
}

/**
 * Flags of the servers in `subjects/`. `cdn-emulator` also starts with this limit, because on a machine with much memory V8 collects
 * dead rows late.
 */
const emulatorStart: Start = { flags: ['--max-semi-space-size=16'], env: {} }

/** Flags and environment of a program. */
export interface Start {
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts `subjects/<name>.ts`.
 *
 * @param options options of the program, passed as JSON
 */
export function startSubject(name: string, options: unknown = {}): Promise<Subject> {
  return startFile(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), options, emulatorStart)
}

/**
 * Starts a program as a subject.
 *
 * @param start flags and environment of the program
 */
export async function startFile(file: string, options: unknown, start: Start): Promise<Subject> {
  const execArgv = ['--expose-gc', ...start.flags]
  const child = fork(file, [JSON.stringify(options)], {
    execArgv,
    env: { ...process.env, ...start.env },
    stdio: 'inherit',
  })
  const ready = await answerOf<Ready>(child)
  return {
    ...ready,
    ask(question) {
      child.send(question)
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
    const onExit = () => reject(new Error('A subject exited before it replied'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as T) // each question has one type of reply
    })
  })
}
