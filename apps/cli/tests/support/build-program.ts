import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildCli } from '../../scripts/build.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the shipped program. */
    program: string
  }
}

/** Builds the program once for all tests. The folder is within the package, so that modules that are not bundled are found. */
export default async function buildProgram(project: TestProject): Promise<() => Promise<void>> {
  const folder = join(import.meta.dirname, '../../.vitest')
  await mkdir(folder, { recursive: true })
  const outdir = await mkdtemp(join(folder, 'program-'))
  await buildCli(outdir)
  project.provide('program', join(outdir, 'bin.js'))
  return () => rm(outdir, { recursive: true, force: true })
}
