import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The two HTTP interfaces of the platform; each has a folder here. */
export const interfaces = ['management', 'logging'] as const
export type Interface = (typeof interfaces)[number]

/** `document`: the source document alone. `full`: with the supplement's overlay applied. */
export const layers = ['document', 'full'] as const
export type Layer = (typeof layers)[number]

export const specsFolder: string = import.meta.dirname

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/**
 * Bundles one interface into a single OpenAPI document with internal references only.
 *
 * @param name which interface
 * @param layer with or without the supplement
 * @param folder the folder of the specs; another than this one for copies under test
 * @returns the document as parsed JSON
 * @throws Error with Redocly's findings when a file does not parse, a reference does not resolve or an overlay is not valid
 */
export async function bundle(
  name: Interface,
  layer: Layer,
  folder: string = specsFolder,
): Promise<Record<string, unknown>> {
  const scratch = await mkdtemp(join(tmpdir(), 'bundle-'))
  const output = join(scratch, 'openapi.json')
  const overlay = layer === 'full' ? ['--overlay', `${name}/supplement.overlay.yaml`] : []
  try {
    await run(process.execPath, [redocly, 'bundle', `${name}/openapi.yaml`, ...overlay, '--output', output], {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    })
    return JSON.parse(await readFile(output, 'utf8'))
  } catch (error) {
    const findings = (error as { stderr?: string }).stderr ?? String(error)
    throw new Error(`Cannot bundle specs/${name} (${layer}):\n${findings.trim()}`, { cause: error })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
