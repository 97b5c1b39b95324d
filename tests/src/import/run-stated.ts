/**
 * `node tests/src/import/run-stated.ts FILE`: imports a contract into the management interface of a copy of the repository, accepts
 * everything that the import proposes, and prints how many operations the emulator answers from its state, and how many responses are
 * valid. Then the suite checks the emulator with all its permissions.
 */
import { resolve } from 'node:path'
import { createSandbox } from '../docs/sandbox.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Missing FILE: an OpenAPI file.')
const sandbox = createSandbox()
try {
  for (const script of [
    `pnpm import-contract ${resolve(file)} --as tried --into management`,
    'yes "" | pnpm review-effects management',
    'pnpm generate',
    'pnpm lint',
    'cd tests && node src/import/send-stated.ts',
    'pnpm -s conformance run --target live --allow write,destructive,burst',
  ]) {
    const { code, output } = await sandbox.run(script, 5_400_000)
    console.log(`$ ${script}\n${output.trimEnd().split('\n').slice(-40).join('\n')}`)
    if (code !== 0) process.exitCode = 1
  }
} finally {
  sandbox.close()
}
