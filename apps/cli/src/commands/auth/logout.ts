import type { Context } from '../../context/context.ts'
import { UsageError } from '../../errors/command-error.ts'
import { defaultProfile } from '../../platform/profile.ts'
import { profileFile, readProfiles, writeProfiles } from '../../platform/profile-file.ts'

/** Takes a profile out of the file. */
export async function logout({ env, err }: Context, options: { readonly profile: string | undefined }): Promise<void> {
  const name = options.profile ?? (env['CDN_PROFILE'] || defaultProfile)
  const profiles = await readProfiles(env, () => {})
  if (!Object.hasOwn(profiles, name))
    throw new UsageError(`There is no profile ${JSON.stringify(name)} in ${profileFile(env)}.`)
  const { [name]: _gone, ...others } = profiles
  await writeProfiles(env, others)
  await err.write(`The profile ${name} is forgotten.\n`)
}
