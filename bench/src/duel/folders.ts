import { join } from 'node:path'

/** Repository, and the folder that git ignores: installed tools and the instrumented emulator. */
export const root: string = join(import.meta.dirname, '../../..')
export const duelFolder: string = join(root, 'bench/.duel')
export const toolsFolder: string = join(duelFolder, 'tools')
export const emulatorCopy: string = join(duelFolder, 'emulator')
export const serversFile: string = join(duelFolder, 'servers.json')
export const recordingFile: string = join(duelFolder, 'recording.json')

/** Versions that `install.ts` installs. */
export const versions = { schemathesis: '4.32.5', instrumenter: '9.6.1', prism: '5.16.0', specmatic: '2.55.1' } as const
