import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Creates an empty folder. @param after registers its removal: `afterAll`, or `onTestFinished` for a folder of one test */
export function temporaryFolder(after: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
