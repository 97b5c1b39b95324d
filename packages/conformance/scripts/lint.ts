/**
 * `pnpm lint`: builds the checks of the contract as specs/ states it now, before `pnpm generate`, and prints what the suite cannot check:
 * place, sentence, rule. It runs after the lint of the specs, on which the suite depends.
 */
import { registerHooks } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from '@cdn/api/generate'
import { specsFolder } from '@cdn/specs'
import { locateStatement } from '@cdn/specs/locate'

const folder = process.argv[2] ?? specsFolder
const files = await generate(folder)
// The suite reads the contract from generated modules: they get the new text.
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const file = url.includes('/packages/api/src/gen/') ? basename(fileURLToPath(url)) : ''
    const source = files.get(file)
    return source === undefined ? loaded : { ...loaded, source }
  },
})
const { faultsOfContract } = await import('../src/run/contract-faults.ts')
const faults = faultsOfContract()
for (const { interface: name, about, message } of faults) {
  const { file, line } = locateStatement(folder, name, about)
  console.log(`specs/${file}:${line}  ${message}  (suite)`)
}
console.log(faults.length === 0 ? 'The suite can check the contract.' : `Number of faults: ${faults.length}.`)
process.exitCode = faults.length === 0 ? 0 : 1
