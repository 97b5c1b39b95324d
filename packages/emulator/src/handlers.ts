import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { operations } from '@cdn/api/contract'
import type { Handler } from './platform.ts'

/**
 * What each operation does, by `x-name`: the default export of `handlers/<x-name>.ts`. An operation of the contract
 * without such a file is answered 501.
 */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  await Promise.all(operations.map(({ name }) => load(name))).then((all) => all.flat()),
)

/** The operations that the emulator has, by `x-name`. */
export const implemented: ReadonlySet<string> = new Set(handlers.keys())

async function load(name: string): Promise<[string, Handler][]> {
  const url = new URL(`./handlers/${name}${extname(import.meta.url)}`, import.meta.url)
  if (!existsSync(url)) return []
  const module = (await import(/* @vite-ignore */ url.href)) as { default: Handler }
  return [[name, module.default]]
}
