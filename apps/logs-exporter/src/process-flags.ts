/**
 * Flags of Node for commands that read logs. Rows are garbage soon: a small young part of the heap is enough, and threads that share
 * its collection cost more than they save. The rest of the heap is small, so it is collected at once: while an incremental collection
 * waits for its end, the buffers of many pages stay in memory. Nothing compiles in the background: a thread that compiles can need a
 * collection while the process ends, and the two would wait for each other forever (nodejs/node#54918).
 */
export const nodeFlags = [
  '--max-semi-space-size=4',
  '--min-semi-space-size=4',
  '--no-parallel-scavenge',
  '--no-incremental-marking',
  '--no-concurrent-sparkplug',
  '--no-concurrent-recompilation',
]

/** Variables for the allocator of glibc, which otherwise keeps the memory of freed pages, once per thread. */
export const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '524288' }

/** Hides Node's warnings about experimental features: Node 22 prints one for its SQLite, which would disturb programs that read the logs. */
export function hideExperimentalWarnings(): void {
  process.emitWarning = new Proxy(process.emitWarning, {
    apply: (emit, self, args) => (args[1] === 'ExperimentalWarning' ? undefined : Reflect.apply(emit, self, args)),
  })
}
