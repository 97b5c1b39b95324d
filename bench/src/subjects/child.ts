import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
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
const emulatorStart: Start = { flags: ['--max-semi-space-size=16'], env: {} }

/** How a program is started. */
export interface Start {
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** @returns how a program of the repository starts when its file is executed, by its first line */
export function startOf(file: string): Start {
  const [line = ''] = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split('\n')
  const words = line.split(' ')
  const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=') as [string, string])
  return { flags: words.filter((word) => word.startsWith('--')), env: Object.fromEntries(variables) }
}

/**
 * Starts `subjects/<name>.ts`.
 *
 * @param options what the program is told, as JSON
 */
export function startSubject(name: string, options: unknown = {}): Promise<Subject> {
  return startFile(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), options, emulatorStart)
}

/**
 * Starts a program that is a subject.
 *
 * @param start the flags and the environment that it gets
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
