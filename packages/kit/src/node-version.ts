/** A program calls this check first, before it imports other modules, because an old Node cannot parse them. */

/** The parts of `process` that are used here. They are declared because packages without Node's types also compile this file. */
declare const process: {
  readonly versions: { readonly node: string }
  readonly stderr: { write(text: string): void }
  exitCode?: number | string | null | undefined
}

/**
 * Checks the version of Node. If the version is too old, prints one sentence and sets the exit code 2. This file uses old syntax,
 * so that an old Node can run it.
 *
 * @param program name of the program
 * @param range `engines.node` of its package, such as `>=24.18`
 * @param version the version of Node; tests pass other versions
 * @returns whether the version is supported
 */
export function checkNodeVersion(program: string, range: string, version: string = process.versions.node): boolean {
  const minimum = range.replace('>=', '').split('.').map(Number)
  const actual = version.split('.').map(Number)
  const index = [0, 1, 2].find((part) => (minimum[part] || 0) !== (actual[part] || 0))
  if (index === undefined || Number(actual[index]) > Number(minimum[index])) return true
  process.stderr.write(
    `${program}: Node ${version} is too old; expected Node ${range}. To install it: npm install --global node@24\n`,
  )
  process.exitCode = 2
  return false
}
