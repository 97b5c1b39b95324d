import type { Env } from './env.ts'

interface Process {
  readonly env?: Env
  readonly versions?: { readonly node?: string }
}

/** The process of Node, and of runtimes that imitate it; undefined in a browser. */
export function runtimeProcess(): Process | undefined {
  const { process }: typeof globalThis & { readonly process?: Process } = globalThis
  return process
}
