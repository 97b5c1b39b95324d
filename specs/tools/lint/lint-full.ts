/** Lints the contract with its supplement, because the rules also apply to what the supplement states. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { decodeStep } from '@cdn/kit/reference'
import { bundleAll } from '../bundle.ts'
import { createScratch } from '../redocly.ts'
import { type Finding, lint } from './lint.ts'
import { locator, overlayLocator } from './locate.ts'

/**
 * Lints interfaces with their supplement, each bundled into one document.
 *
 * @param folders folders of interfaces
 * @returns the findings of each, in the same order
 */
export async function lintFull(folders: readonly string[]): Promise<Finding[][]> {
  await using scratch = await createScratch()
  const contracts = await bundleAll(
    folders.map((folder) => ({
      root: join(folder, 'openapi.yaml'),
      overlays: [join(folder, 'supplement.overlay.yaml')],
    })),
  )
  const files = await Promise.all(
    contracts.map(async (contract, index) => {
      // The rule `requirement-id` takes the interface from the name of the folder.
      const folder = join(scratch.path, String(index), basename(folders[index] ?? ''))
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(contract))
      return join(folder, 'openapi.json')
    }),
  )
  // The skipped rules apply to the spec alone: areas without operations, and unused components.
  const findings = await lint(files, ['contract/area-shown', 'no-unused-components'])
  return findings.map((all, index) => all.map((finding) => inSources(finding, folders[index] ?? '')))
}

/** Moves a finding of the bundled document to its source: the overlay, or a file of the spec. */
function inSources(finding: Finding, folder: string): Finding {
  const at = (finding.pointer ?? '').split('/').slice(1).map(decodeStep)
  const [specs, name] = [dirname(folder), basename(folder)]
  const inSpec = locator(specs, name)(at)
  const inOverlay = overlayLocator(specs, name)(at)
  const { file, line } = inOverlay.depth >= inSpec.depth ? inOverlay : inSpec
  return { ...finding, file, line }
}
