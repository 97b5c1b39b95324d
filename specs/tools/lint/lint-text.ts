import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toRecord } from '@cdn/kit/record'
import { bundleAll, interfaces } from '../bundle.ts'
import { compareWithText } from '../spec-text/compare.ts'
import type { Finding } from './lint.ts'
import { locator } from './locate.ts'

/**
 * Compares the layer `spec` with SPEC.md.
 *
 * @param folders folders of specs, whose documents can be bundled
 * @returns the differences in each folder, each at its place in the contract, or in SPEC.md for what the contract lacks
 */
export async function lintText(folders: readonly string[]): Promise<Finding[][]> {
  const roots = folders.flatMap((folder) => interfaces.map((name) => join(folder, name, 'openapi.yaml')))
  const documents = await bundleAll(roots.map((root) => ({ root, overlays: [] })))
  return folders.map((folder, index) => {
    const own = interfaces.map((name, at) => [name, toRecord(documents[index * interfaces.length + at])] as const)
    const locators = new Map(interfaces.map((name) => [name as string, locator(folder, name)]))
    const text = readFileSync(join(folder, 'SPEC.md'), 'utf8')
    return compareWithText(text, Object.fromEntries(own)).map(({ message, place }) => {
      const sentence = message.charAt(0).toUpperCase() + message.slice(1)
      if ('line' in place) {
        const advice = 'State it, or name it in backticks in the text of a requirement or open point.'
        return { file: 'SPEC.md', line: place.line, rule: 'spec-text', message: `${sentence}. ${advice}` }
      }
      const { file, line } = locators.get(place.interface)?.(place.at) ?? { file: place.interface, line: 1 }
      const advice = sentence.includes('correct') ? '' : ' Correct it here, or in SPEC.md.'
      return { file, line, rule: 'spec-text', message: `${sentence}.${advice}` }
    })
  })
}
