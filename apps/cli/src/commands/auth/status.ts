import type { Context } from '../../context/context.ts'
import { exitCodes } from '../../errors/command-error.ts'
import { profileFile, readProfiles } from '../../platform/profile-file.ts'

/** Tells what a command would use. The shape is stable. */
export async function status({ env, platform, output }: Context): Promise<number> {
  const { source, profile, accessKey, bearer } = await platform.target()
  const credential = accessKey !== undefined ? 'API key' : bearer !== undefined ? 'bearer token' : null
  await output.value({
    source,
    profile: profile ?? null,
    credential,
    managementUrl: (await platform.address('management')).href,
    loggingUrl: (await platform.address('logging')).href,
    file: profileFile(env),
    profiles: Object.keys(await readProfiles(env, () => {})),
  })
  return credential === null ? exitCodes.credentials : exitCodes.done
}
