/**
 * `pnpm lint`: prints each fault of the contract's files on one line: place, sentence, rule. A step runs only if the steps before it
 * found nothing, because their faults would cause others: the files as YAML, the documents, the documents with their overlays,
 * the effect of each action of an overlay, and the text of the spec.
 */
import { join } from 'node:path'
import { interfaces, specsFolder } from '../bundle.ts'
import { type Finding, lint, lintYaml } from '../lint/lint.ts'
import { lintFull } from '../lint/lint-full.ts'
import { lintOverlay } from '../lint/lint-overlay.ts'
import { lintText } from '../lint/lint-text.ts'

const steps: (() => Promise<Finding[][]>)[] = [
  async () => interfaces.map((name) => lintYaml(join(specsFolder, name))),
  lint,
  () => lintFull(interfaces.map((name) => join(specsFolder, name))),
  async () => [...(await Promise.all(interfaces.map((name) => lintOverlay(name)))), ...(await lintText([specsFolder]))],
]
let findings: Finding[] = []
for (const step of steps) if (findings.length === 0) findings = (await step()).flat()
findings.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
for (const { file, line, rule, message } of findings) console.log(`specs/${file}:${line}  ${message}  (${rule})`)
console.log(findings.length === 0 ? 'The contract has no fault.' : `Number of faults: ${findings.length}.`)
process.exitCode = findings.length === 0 ? 0 : 1
