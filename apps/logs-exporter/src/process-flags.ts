/** How the program starts Node for commands that read logs. The bench starts it in the same way. */

// Pages lie in the old part of the V8 heap. But without some initial room, V8 would mark all the time.
export const nodeFlags = ['--max-semi-space-size=4', '--initial-heap-size=48']
// Makes glibc return freed buffers to the system, so that no holes remain.
export const nodeEnv = { MALLOC_MMAP_THRESHOLD_: '131072' }
