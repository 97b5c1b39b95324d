import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Repository, and the folder that git ignores: installed tools and the instrumented emulator. */
export const root: string = join(import.meta.dirname, '../../..')
export const duelFolder: string = join(root, 'bench/.duel')
export const toolsFolder: string = join(duelFolder, 'tools')
export const emulatorCopy: string = join(duelFolder, 'emulator')
export const serversFile: string = join(duelFolder, 'servers.json')
export const recordingFile: string = join(duelFolder, 'recording.json')
/** Hashes of the correct server's responses to the recorded requests. */
export const responsesFile: string = join(duelFolder, 'responses.json')

/** Folders of the emulator's sources that decide what a client sees. */
const mutatedFolders = ['http', 'platform/handlers', 'platform/logs', 'platform/state']

/**
 * Sources in these folders that the replay or the tools do not reach: the replay runs in process, all tools use sockets, and only tests
 * use the control interface.
 */
const leftOut = ['control.ts', 'certificate.ts', 'in-process.ts', 'listen.ts', 'listener.ts']

/** The sources that are mutated, as paths below the emulator's folder `src`. */
export const mutatedFiles: readonly string[] = mutatedFolders.flatMap((folder) =>
  readdirSync(join(root, 'packages/emulator/src', folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !leftOut.includes(name))
    .map((name) => join(folder, name)),
)

/** Hash of these sources. */
export function hashSources(): string {
  const hash = createHash('sha256')
  for (const file of mutatedFiles) hash.update(file).update(readFileSync(join(root, 'packages/emulator/src', file)))
  return hash.digest('hex').slice(0, 16)
}

/** Versions that `install.ts` installs. */
export const versions = { schemathesis: '4.32.5', instrumenter: '9.6.1', prism: '5.16.0', specmatic: '2.55.1' } as const
