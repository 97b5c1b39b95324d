import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The message that a server sends when it is ready. */
export interface Ready {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly accessKey: string
}

/** A server in a separate process, so that its processor time does not include the client's. */
export interface BenchServer extends Ready {
  /** Asks the process for its processor time so far in microseconds. @throws Error if the process exits before it replies */
  processorTime(): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts `servers/<name>.ts`.
 *
 * @param options options of the program, passed as JSON
 */
export async function startServer(name: string, options: unknown = {}): Promise<BenchServer> {
  // `cdn-emulator` also starts with this limit, because on a machine with much memory V8 collects dead rows late.
  const execArgv = ['--max-semi-space-size=16']
  const child = fork(join(import.meta.dirname, `${name}.ts`), [JSON.stringify(options)], { execArgv, stdio: 'inherit' })
  const ready = await answerOf<Ready>(child)
  return {
    ...ready,
    processorTime() {
      child.send({})
      return answerOf(child)
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('A server exited before it replied'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as T) // the address when it is ready, then times
    })
  })
}
