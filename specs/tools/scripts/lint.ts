/**
 * `pnpm lint`: prints each fault of the contract's files on one line: place, sentence, rule. If `lintYaml` finds a fault, Redocly does
 * not run.
 */
import { join } from 'node:path'
import { interfaces, specsFolder } from '../bundle.ts'
import { lint, lintYaml } from '../lint/lint.ts'

const inYaml = interfaces.flatMap((name) => lintYaml(join(specsFolder, name)))
const all = inYaml.length > 0 ? inYaml : (await lint()).flat()
const findings = all.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
for (const { file, line, rule, message } of findings) console.log(`specs/${file}:${line}  ${message}  (${rule})`)
console.log(findings.length === 0 ? 'The contract has no fault.' : `Number of faults: ${findings.length}.`)
process.exitCode = findings.length === 0 ? 0 : 1
