import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleContract, interfaces, specsFolder } from '../bundle.ts'
import { compareWithText } from '../spec-text/compare.ts'
import type { Finding } from './lint.ts'
import { locator } from './locate.ts'

/**
 * Compares the layer `spec` with SPEC.md.
 *
 * @param folder the folder of the specs, whose documents can be bundled
 * @returns the differences, each at its place in the contract, or in SPEC.md for what the contract lacks
 */
export async function lintText(folder: string = specsFolder): Promise<Finding[]> {
  const documents = await Promise.all(interfaces.map((name) => bundleContract(name, 'spec', folder)))
  const text = readFileSync(join(folder, 'SPEC.md'), 'utf8')
  const found = compareWithText(
    text,
    Object.fromEntries(interfaces.map((name, index) => [name, documents[index] ?? {}])),
  )
  const locators = new Map(
    interfaces.map((name): [string, ReturnType<typeof locator>] => [name, locator(folder, name)]),
  )
  return found.map(({ message, place }) => {
    const sentence = message.charAt(0).toUpperCase() + message.slice(1)
    if ('line' in place) {
      const advice = 'State it, or name it in backticks in the text of a requirement or open point.'
      return { file: 'SPEC.md', line: place.line, rule: 'spec-text', message: `${sentence}. ${advice}` }
    }
    const { file, line } = locators.get(place.interface)?.(place.at) ?? { file: place.interface, line: 1 }
    const advice = sentence.includes('correct') ? '' : ' Correct it here, or in SPEC.md.'
    return { file, line, rule: 'spec-text', message: `${sentence}.${advice}` }
  })
}
