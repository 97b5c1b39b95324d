import type { SinkConfig } from '../../src/config/config.ts'
import { createFormat } from '../../src/formats/index.ts'
import { disk } from '../../src/sinks/files/disk.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import type { KillPoint } from './assignment.ts'

type Reach = (point: KillPoint) => void

/** The kill points of each method: one before the call, and one after it is done. */
type Points<T> = { readonly [Name in keyof T]?: readonly [before: KillPoint, after?: KillPoint] }

/** Copies an object of functions. Functions with kill points call `reach` at these points. */
export function withKillPoints<T extends object>(target: T, points: Points<T>, reach: Reach): T {
  const entries = Object.entries(target).map(([name, value]: [string, unknown]) => {
    // Safe: a name that is not a method has no points.
    const [before, after] = points[name as keyof T] ?? []
    if (before === undefined || typeof value !== 'function') return [name, value]
    const act = async (...args: unknown[]) => {
      reach(before)
      const result: unknown = await value(...args)
      if (after) reach(after)
      return result
    }
    return [name, act]
  })
  return Object.fromEntries(entries)
}

/** Opens a sink of any type whose methods call `reach` at kill points. */
export async function openKillingSink(config: SinkConfig, reach: Reach): Promise<Sink> {
  const sink = config.type === 'files' ? await openFiles(config, reach) : await openSink(config, process.env)
  return {
    ...sink,
    async begin(...args) {
      reach('begin')
      const writer = await sink.begin(...args)
      return withKillPoints(writer, { write: ['write'], publish: ['publish', 'after publish'] }, reach)
    },
  }
}

async function openFiles(config: Extract<SinkConfig, { type: 'files' }>, reach: Reach): Promise<Sink> {
  const points: Points<typeof disk> = {
    link: ['link', 'after link'],
    syncDirectory: ['sync directory'],
    makeDirectory: ['make directory'],
    unlink: ['unlink'],
  }
  return openFilesSink({
    path: config.path,
    format: await createFormat(config),
    disk: {
      ...withKillPoints(disk, points, reach),
      async create(path, mode) {
        reach('create file')
        return withKillPoints(await disk.create(path, mode), { write: ['write file'], sync: ['sync file'] }, reach)
      },
    },
  })
}
