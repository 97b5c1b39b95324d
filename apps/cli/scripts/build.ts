/** `pnpm build`: creates the shipped program in `dist/`: one entry, and parts that are loaded on demand. */
import { join } from 'node:path'
import { buildBundle } from '../../../scripts/bundle.ts'

const folder = join(import.meta.dirname, '..')

/** Packages that are not bundled. The licence of jmespath (MPL) requires separate source. */
const external = ['@jmespath-community/jmespath']

/**
 * Builds the program.
 *
 * @param outdir output folder; its content is removed
 */
export function buildCli(outdir: string): Promise<void> {
  return buildBundle({ folder, outdir, main: './main.ts', external, minify: true })
}

if (import.meta.main) await buildCli(join(folder, 'dist'))
