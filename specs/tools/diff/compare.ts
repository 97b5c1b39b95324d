import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { specsFolder } from '../bundle.ts'
import type { Json } from '../import/json.ts'
import { redocly } from '../redocly.ts'
import { withScratch } from '../scratch.ts'
import { compareAccess } from './access.ts'
import type { Change } from './change.ts'
import { normalize } from './normalize.ts'

/**
 * Rates the changes between two versions of a contract by their effect on callers.
 *
 * @param before the contract that callers know
 * @param after the current contract
 * @throws Error with Redocly's findings if it cannot compare them
 */
export async function compareContracts(before: Json, after: Json): Promise<Change[]> {
  return await withScratch(async (scratch) => {
    const [old, current] = [join(scratch, 'before.json'), join(scratch, 'after.json')]
    await writeFile(old, JSON.stringify(normalize(before)))
    await writeFile(current, JSON.stringify(normalize(after)))
    const options = ['--config', 'tools/diff/redocly.yaml', '--fail-on', 'none', '--format', 'json']
    const { stdout, stderr } = await redocly(['diff', old, current, ...options], specsFolder)
    if (!stdout.startsWith('{')) throw new Error(stderr)
    const { changes }: { changes: readonly Change[] } = JSON.parse(stdout)
    const all = [...changes, ...compareAccess(before, after)]
    // Redocly compares normalized contracts, so it does not find changed texts inside a choice.
    if (all.length === 0 && !isDeepStrictEqual(normalize(before, true), normalize(after, true)))
      return [{ impact: 'patch', path: '#', kind: 'texts or examples' }]
    return all
  })
}
