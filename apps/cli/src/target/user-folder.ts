import { homedir } from 'node:os'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

/** For each kind: the variable for the folder, the variable on Windows, and the default below the user's home. */
const kinds = {
  config: ['XDG_CONFIG_HOME', 'APPDATA', '.config'],
  state: ['XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'],
  cache: ['XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'],
} as const

/** The folder of this program in the user's home, as the XDG base directory specification defines it. */
export function userFolder(env: Env, kind: keyof typeof kinds): string {
  const [variable, windows, fallback] = kinds[kind]
  const onWindows = process.platform === 'win32' ? env[windows] : undefined
  return join(env[variable] || onWindows || join(env['HOME'] || homedir(), fallback), 'cdn')
}
