import type { Writer } from '../context/writer.ts'
import { CommandError, exitCodes } from '../errors/command-error.ts'
import { toCurl } from './curl.ts'
import type { InterfaceName, Platform } from './platform.ts'
import { readProfiles } from './profile-file.ts'
import { decideTarget, type Target } from './target.ts'

interface Asked {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: Writer
  readonly err: Writer
  readonly fetch: typeof fetch
  readonly profile: string | undefined
  readonly isVerbose: boolean
  readonly isDryRun: boolean
  /** Ends the command, because nothing is to be sent. */
  readonly end: () => void
}

/** Makes the platform of one command. Nothing is read before it is asked for. */
export function createPlatform({ env, out, err, fetch, profile, isVerbose, isDryRun, end }: Asked): Platform {
  let decided: Promise<Target> | undefined
  let lastHost: string | undefined
  let isShown = false
  const warn = (sentence: string) => void err.write(`cdn: warning: ${sentence}\n`)
  const target = () => {
    decided ??= decideTarget({ profile, env, readProfiles: () => readProfiles(env, warn) })
    return decided
  }

  const tell = async (request: Request): Promise<Response> => {
    const begun = performance.now()
    const after = () => `${Math.round(performance.now() - begun)} ms`
    await err.write(`> ${request.method} ${request.url}\n`)
    try {
      const response = await fetch(request)
      await err.write(`< ${response.status} after ${after()}\n`)
      return response
    } catch (error) {
      await err.write(`< no answer after ${after()}\n`)
      throw error
    }
  }
  const show = async (request: Request): Promise<Response> => {
    // Of several requests at once the first one is shown.
    const isFirst = !isShown
    isShown = true
    if (isFirst) await out.write(`${await toCurl(request)}\n`)
    end()
    throw new Error('Nothing is sent')
  }
  const send = ((request: Request) => {
    lastHost = new URL(request.url).host
    return isDryRun ? show(request) : isVerbose ? tell(request) : fetch(request)
  }) as typeof globalThis.fetch

  return {
    target,
    isDryRun,
    lastHost: () => lastHost,
    address: async (name) => (await target())[name] ?? (await publicAddress(name)),
    async options(name, schemes) {
      const decision = await target()
      const credential = credentialOf(decision, schemes) ?? (isDryRun ? { accessKey: 'none' } : undefined)
      if (!credential) {
        throw new CommandError(
          'There is no credential. Run cdn auth login, or set CDN_ACCESS_KEY (the key is in the account settings under API Keys, §5).',
          exitCodes.credentials,
        )
      }
      return { baseUrl: decision[name], fetch: send, ...credential }
    },
  }
}

/** The key where the operation takes it or nothing else is there: whether it takes a token may not be shown (§5). */
function credentialOf({ accessKey, bearer }: Target, schemes: readonly string[] | undefined) {
  const takesKey = schemes?.includes('AccessKey') ?? true
  if (accessKey !== undefined && (takesKey || bearer === undefined)) return { accessKey }
  return bearer === undefined ? undefined : { bearer }
}

async function publicAddress(name: InterfaceName): Promise<URL> {
  const { contracts } = await import('@cdn/api/contract')
  return new URL(contracts[name].publicUrl)
}
