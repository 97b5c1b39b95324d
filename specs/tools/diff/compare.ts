import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { specsFolder } from '../bundle.ts'
import type { Json } from '../import/json.ts'
import { redocly } from '../redocly.ts'
import { withScratch } from '../scratch.ts'
import { compareAccess } from './access.ts'
import type { Bump, Change } from './change.ts'
import { alignChoices, normalize } from './normalize.ts'

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
    const [was, is] = [normalize(before), normalize(after)]
    await writeFile(old, JSON.stringify(alignChoices(was, is)))
    await writeFile(current, JSON.stringify(alignChoices(is, was)))
    const options = ['--config', 'tools/diff/redocly.yaml', '--fail-on', 'none', '--format', 'json']
    const { stdout, stderr } = await redocly(['diff', old, current, ...options], specsFolder)
    if (!stdout.startsWith('{')) throw new Error(stderr)
    const { changes }: { changes: readonly RatedChange[] } = JSON.parse(stdout)
    const all = [...changes.map(withImpact), ...compareAccess(before, after)]
    // Redocly compares normalized contracts, so it does not find changed texts inside a choice.
    if (all.length === 0 && !isDeepStrictEqual(normalize(before, true), normalize(after, true)))
      return [{ impact: 'patch', path: '#', kind: 'texts or examples' }]
    return all
  })
}

/** A change as Redocly rates it. */
interface RatedChange extends Change {
  /** Type of the changed node. */
  readonly typeName: string
}

/** Texts of an operation or a parameter that only readers notice. */
const texts = new Set(['title', 'summary', 'description', 'operationId', 'tags', 'example', 'examples', 'default'])

/**
 * Raises the impact of changes that Redocly rates as patch. Callers that send a removed field no longer compile, and the meaning of
 * a field changes with each of its constraints, also if it allows more.
 */
function withImpact({ path, kind, impact, property, typeName }: RatedChange): Change {
  const isRemovedField =
    kind === 'removed' && /^Schema(Properties)?$/.test(typeName) && /\/properties(\/[^/]*)?$/.test(path)
  const isConstraint =
    kind === 'modified' && property !== undefined && !texts.has(property) && !property.startsWith('x-')
  const raised: Bump = isRemovedField ? 'major' : isConstraint ? 'minor' : impact
  return { impact: impact === 'patch' ? raised : impact, path, kind, ...(property !== undefined && { property }) }
}
