/** Flags of Node for commands that read logs. Rows are garbage soon, so a small young part of the heap is enough. */
export const nodeFlags = ['--max-semi-space-size=4']

/** Variables for the allocator of glibc, which otherwise keeps the memory of freed pages, once per thread. */
export const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '524288' }
