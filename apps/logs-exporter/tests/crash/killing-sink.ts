import type { SinkConfig } from '../../src/config/config.ts'
import { createFormat } from '../../src/formats/index.ts'
import { disk } from '../../src/sinks/files/disk.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import type { KillPoint } from './assignment.ts'
import { killing } from './killing.ts'

/** Opens a sink of any type whose methods call `reach` at kill points. */
export async function openKillingSink(config: SinkConfig, reach: (point: KillPoint) => void): Promise<Sink> {
  const sink = config.type === 'files' ? await openFiles(config, reach) : await openSink(config, process.env)
  const begun = killing(sink, { begin: ['begin'] }, reach)
  return new Proxy(begun, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver)
      if (name !== 'begin' || typeof value !== 'function') return value
      return async (...args: Parameters<Sink['begin']>) =>
        killing(await object.begin(...args), { write: ['write'], publish: ['publish', 'after publish'] }, reach)
    },
  })
}

async function openFiles(config: Extract<SinkConfig, { type: 'files' }>, reach: (point: KillPoint) => void) {
  const file = { write: ['write file'], sync: ['sync file'] } as const
  const steps = killing(
    disk,
    {
      link: ['link', 'after link'],
      syncDirectory: ['sync directory'],
      makeDirectory: ['make directory'],
      unlink: ['unlink'],
    },
    reach,
  )
  return openFilesSink({
    path: config.path,
    format: await createFormat(config),
    disk: {
      ...disk,
      ...{
        link: steps.link,
        syncDirectory: steps.syncDirectory,
        makeDirectory: steps.makeDirectory,
        unlink: steps.unlink,
      },
      async create(path, mode) {
        reach('create file')
        return killing(await disk.create(path, mode), file, reach)
      },
    },
  })
}
