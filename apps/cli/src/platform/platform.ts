import type { ClientOptions, LoggingClientOptions } from '@cdn/api'
import type { Target } from './target.ts'

export type InterfaceName = 'management' | 'logging'

interface OptionsOf {
  readonly management: ClientOptions
  readonly logging: LoggingClientOptions
}

/** Where the platform is, and what is shown to it. Decided when first asked for; see `target.ts`. */
export interface Platform {
  /**
   * Options for a client of `@cdn/api`: address, credential, and a `fetch` that obeys `--verbose` and `--dry-run`.
   *
   * @param schemes names of the schemes that the operation takes, in the contract's words; any where absent
   * @throws CommandError (exit 3) where there is no credential, UsageError where the configuration contradicts itself
   */
  readonly options: <Name extends InterfaceName>(name: Name, schemes?: readonly string[]) => Promise<OptionsOf[Name]>
  /** Addresses, credential, and where they come from. */
  readonly target: () => Promise<Target>
  /** The address of an interface: the target's, or the public platform's. */
  readonly address: (name: InterfaceName) => Promise<URL>
  /** Requests are printed instead of sent, so nothing needs to be asked. */
  readonly isDryRun: boolean
  /** The host that was called last, for messages. */
  readonly lastHost: () => string | undefined
}
