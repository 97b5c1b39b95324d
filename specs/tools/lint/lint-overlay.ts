import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { bundleAll, type InterfaceName, specsFolder } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import type { Finding } from './lint.ts'
import { offsetOf, readYaml } from './yaml-file.ts'

/**
 * Finds actions of an overlay without an effect. Redocly ignores a target without a match, so the contract is bundled once without each
 * action: an action has no effect if the contract is the same without it. If a later action depends on the omitted action, the later
 * action has no match, and the result differs, too.
 *
 * @param folder the folder of the specs
 */
export async function lintOverlay(name: InterfaceName, folder: string = specsFolder): Promise<Finding[]> {
  const file = join(name, 'supplement.overlay.yaml')
  const { document, lineAt } = readYaml(join(folder, file))
  const overlay: { readonly actions: readonly { readonly target: string }[] } = document.toJS() // its structure was checked before
  const { actions } = overlay
  await using scratch = await createScratch()
  const root = join(folder, name, 'openapi.yaml')
  const variants = [actions, ...actions.map((action) => actions.filter((other) => other !== action))]
  const apis = variants.map((_, index) => ({ root, overlays: [join(scratch.path, `${index}.json`)] }))
  for (const [index, { overlays }] of apis.entries())
    await writeFile(overlays[0] ?? '', JSON.stringify({ ...overlay, actions: variants[index] }))
  const [whole, ...others] = await bundleAll(apis)
  return actions.flatMap(({ target }, index) => {
    if (!isDeepStrictEqual(others[index], whole)) return []
    const line = lineAt(offsetOf(document.getIn(['actions', index, 'target'], true)) ?? 0)
    const message = `\`${target}\` matches nothing, or its action changes nothing: correct the target, or remove the action.`
    return [{ file, line, rule: 'overlay-action', message }]
  })
}
