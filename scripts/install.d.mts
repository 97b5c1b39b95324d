import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process'

export const root: string
export const node: string
export function pnpm(args: readonly string[], options?: SpawnSyncOptions): SpawnSyncReturns<string | Buffer>
export function ensureInstalled(scope: 'run' | 'all'): void
