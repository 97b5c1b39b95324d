/** The environment of a program. */
export type Env = Readonly<Record<string, string | undefined>>

/** Returns the value of a variable; undefined if it is not set. A name such as `toString` or `__proto__` is a variable like any other. */
export function envOf(env: Env, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

/**
 * Describes a variable that is not set. Shows the name only if it looks like a variable's: a user may have entered the secret itself
 * instead of the name.
 */
export function variableText(name: string): string {
  return name.length <= 64 && name.split('_').every((word) => /^[A-Z\d]{1,16}$/.test(word))
    ? `the environment variable ${name}`
    : 'an environment variable (its name is not shown: it does not look like a name such as CDN_ACCESS_KEY, and may be a pasted secret)'
}
