import { createCommand, eachOf, once, oneOf, UsageError, wholeNumber } from '@cdn/kit/command-line'
import { readVariant } from '../variants/variants.ts'
import { type EmulatorConfig, readEmulatorConfig } from './config.ts'

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
      eachOf(String),
    )
    .option('--tls', 'HTTPS with a new self-signed certificate')
    .option('--tls-key <file>', 'HTTPS with your own key (PEM); with --tls-certificate', once())
    .option('--tls-certificate <file>', 'certificate of --tls-key (PEM)', once())
    .option('--cors', 'allow requests from web pages of any origin')
    .option('--seed <n>', 'seed of the generated traffic (default: 1)', once(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .option(
      '--clock <kind>',
      'real or virtual: a virtual clock moves only by POST /_emulator/clock/advance (default: real)',
      once(oneOf(['real', 'virtual'] as const)),
    )
    .option(
      '--variant <name=value>',
      'behaviour at a point that the specification leaves open; repeatable',
      (text, before: readonly string[] = []) => [...before, text],
    )
    .option('--state <file>', 'JSON or YAML file with items, in the form of GET /_emulator/state', once())
    .option(
      '--config <file>',
      'JSON file with options, variants, traffic and faults; the command line overrides it',
      once(),
    )
    .option('--json', 'print one line of JSON when ready: addresses, credentials, fixtures')
    .addHelpText('after', footer)
}

const footer = `
The control interface under /_emulator/ on both ports reads and changes variants, faults, rows, traffic, the journal and the
clock. It requires no credentials: with --host, everybody who can reach the address controls the emulator.
The emulator runs until SIGINT or SIGTERM. Exit codes: 0 stopped, 1 did not stop in time, 2 did not start.`

/** The options of a command line. */
export type EmulatorCommandOptions = ReturnType<ReturnType<typeof emulatorCommand>['opts']>

/**
 * Returns the configuration: the options of the command line, and the file that `--config` names.
 *
 * @throws Error in one sentence if an option or the file is invalid
 */
export async function readConfiguration(options: EmulatorCommandOptions): Promise<EmulatorConfig> {
  const { config: file, variant = [], allowHost, tls, tlsKey: key, tlsCertificate: certificate, ...others } = options
  const { json: _, ...given } = others
  if ((key === undefined) !== (certificate === undefined))
    throw new UsageError('--tls-key and --tls-certificate must be given together')
  const fromFile = file === undefined ? {} : await readEmulatorConfig(file)
  const config: { [Name in keyof EmulatorConfig]: EmulatorConfig[Name] | undefined } = {
    ...given,
    ...(allowHost && { allowHosts: allowHost }),
    ...(tls && { tls }),
    ...(key !== undefined && certificate !== undefined && { tls: { key, certificate } }),
    variants: Object.assign({}, fromFile.variants, ...variant.map(readVariant)),
  }
  // Commander leaves out what is not given.
  return { clock: 'real', ...fromFile, ...(config as EmulatorConfig) }
}
