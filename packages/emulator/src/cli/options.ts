import { assertDefined } from '@cdn/kit/assert-defined'
import { accumulate, createCommand, once, oneOf, wholeNumber } from '@cdn/kit/command-line'
import { readInputFile } from '@cdn/kit/input-file'
import { parseJson, stringifyJson } from '@cdn/kit/json'
import { terminalText } from '@cdn/kit/text'
import { parseDocument } from 'yaml'
import { readVariant } from '../variants/variants.ts'

/**
 * Creates the command line.
 *
 * @param write prints help
 */
export function emulatorCommand(write: (text: string) => void) {
  return createCommand('cdn-emulator', write)
    .description('the platform in memory')
    .option(
      '--port <n>',
      'management interface on port n, logging on n + 1 (default: two free ports)',
      once(wholeNumber(0, 65_534)),
    )
    .option('--host <address>', 'address to listen on; 0.0.0.0 means all (default: 127.0.0.1)', once())
    .option(
      '--allow-host <name>',
      'host name under which /_emulator/ is reached, such as that of a container; repeatable',
      accumulate(String),
    )
    .option('--cors', 'allow requests from web pages of any origin')
    .option('--seed <n>', 'seed of the generated traffic (default: 1)', once(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .option(
      '--clock <kind>',
      'real or virtual: a virtual clock moves by POST /_emulator/clock/advance, and skips delays of faults (default: real)',
      once(oneOf(['real', 'virtual'] as const)),
    )
    .option(
      '--variant <name=value>',
      'behaviour at a point that the specification leaves open; repeatable',
      (text, before: Readonly<Record<string, unknown>> = {}) => ({ ...before, ...readVariant(text) }),
    )
    .option(
      '--like <file>',
      'report.json of a conformance run: behave as that platform did at the points that the specification leaves open',
      once(),
    )
    .option('--state <file>', 'JSON or YAML file with items, in the form of GET /_emulator/state', once())
    .option('--json', 'print one line of JSON when ready: addresses, credentials, fixtures')
    .addHelpText('after', footer)
}

const footer = `
The control interface under /_emulator/ on both ports reads and changes variants, faults, rows, traffic, the journal and the
clock. It requires no credentials: with --host, everybody who can reach the address controls the emulator.
The emulator runs until SIGINT or SIGTERM. Exit codes: 0 stopped, 1 did not stop in time, 2 did not start.`

/**
 * Reads a file with the state of an emulator. Integers keep all digits.
 *
 * @param file path of a JSON or YAML file
 * @throws Error in one sentence if the file cannot be read, or is not valid YAML. JSON is valid YAML
 */
export async function readStateFile(file: string): Promise<unknown> {
  const text = await readInputFile(file).then(String, (cause: NodeJS.ErrnoException) => {
    throw new Error(`Cannot read ${terminalText(file)}: ${cause.code ?? cause.message}`, { cause })
  })
  const document = parseDocument(text, { intAsBigInt: true })
  const [fault] = document.errors
  if (fault)
    throw new Error(`Invalid state ${terminalText(file)}: ${fault.message.split('\n')[0]?.replace(/:$/, '')}`, {
      cause: fault,
    })
  return parseJson(assertDefined(stringifyJson(document.toJS())))
}
