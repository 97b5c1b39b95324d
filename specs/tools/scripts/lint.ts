/** `pnpm lint`: lints the files of the spec with redocly.yaml. */
import { specsFolder } from '../bundle.ts'
import { redocly } from '../redocly.ts'

const { code, stdout, stderr } = await redocly(['lint', '--config', 'redocly.yaml'], specsFolder)
process.stdout.write(stdout + stderr)
process.exitCode = code
