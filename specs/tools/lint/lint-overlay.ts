import { readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { LineCounter, parseDocument } from 'yaml'
import { bundleAll, bundleFile, type InterfaceName, type Overlay, specsFolder } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import type { Finding } from './lint.ts'

/**
 * Finds actions of an overlay without an effect. Redocly ignores a target without a match, so the contract is bundled once without each
 * action: an action has no effect if the contract is the same without it. If a later action depends on an omitted one, it has no
 * match, and the result differs, too.
 *
 * @param folder the folder of the specs
 */
export async function lintOverlay(name: InterfaceName, folder: string = specsFolder): Promise<Finding[]> {
  const file = join(name, 'supplement.overlay.yaml')
  const overlay = (await bundleFile(folder, file)) as unknown as Overlay // `pnpm lint` checks its structure before
  const { actions } = overlay
  await using scratch = await createScratch()
  const { path } = scratch
  await mkdir(join(path, name))
  await cp(join(folder, name), join(path, name), { recursive: true })
  const variants = [actions, ...actions.map((action) => actions.filter((other) => other !== action))]
  const apis = variants.map((_, index) => ({
    root: join(path, name, 'openapi.yaml'),
    overlays: [join(path, `${index}.overlay.json`)],
  }))
  for (const [index, variant] of variants.entries())
    await writeFile(join(path, `${index}.overlay.json`), JSON.stringify({ ...overlay, actions: variant }))
  const [whole, ...others] = await bundleAll(apis)
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(join(folder, file), 'utf8'), { lineCounter: lines })
  return actions.flatMap(({ target }, index) => {
    if (!isDeepStrictEqual(others[index], whole)) return []
    const node = document.getIn(['actions', index, 'target'], true) as { readonly range?: readonly number[] }
    const { line } = lines.linePos(node.range?.[0] ?? 0)
    const message = `\`${target}\` matches nothing, or its action changes nothing: correct the target, or remove the action.`
    return [{ file, line, rule: 'overlay-action', message }]
  })
}
