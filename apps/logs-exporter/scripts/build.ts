/** `pnpm build`: creates the shipped program in `dist/`, with all its dependencies. */
import { join } from 'node:path'
import { buildBundle } from '../../../scripts/bundle.ts'

const folder = join(import.meta.dirname, '..')
// pg has an optional binding to a library in C, which the exporter does not use.
await buildBundle({ folder, outdir: join(folder, 'dist'), main: './cli/main.ts', external: ['pg-native'] })
