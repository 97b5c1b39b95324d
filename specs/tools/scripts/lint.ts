/** `pnpm lint`: lints the files of the spec with redocly.yaml, and imported contracts with tools/lint/imported.yaml. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interfaces, isSpecInterface, reviewFile, specsFolder } from '../bundle.ts'
import { redocly } from '../redocly.ts'

/** Returns the files of imported interfaces, and the overlays with the decisions of reviewers. */
function importedFiles(): string[] {
  const imported = interfaces.filter((name) => !isSpecInterface(name)).map((name) => `${name}/openapi.yaml`)
  const reviews = interfaces.map(reviewFile).filter((file) => existsSync(join(specsFolder, file)))
  return [...imported, ...reviews]
}

const imported = importedFiles()
const runs = await Promise.all([
  redocly(['lint', '--config', 'redocly.yaml'], specsFolder),
  ...(imported.length > 0 ? [redocly(['lint', ...imported, '--config', 'tools/lint/imported.yaml'], specsFolder)] : []),
])
for (const { stdout, stderr } of runs) process.stdout.write(stdout + stderr)
process.exitCode = Math.max(...runs.map(({ code }) => code))
