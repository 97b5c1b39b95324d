import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/**
 * Parses the options of a script. `--help` prints their names and ends the process. A wrong option prints one sentence and the names, and
 * ends the process with exit code 2.
 */
export function scriptOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  const names = Object.entries(options).map(([name, { type }]) => `--${name}${type === 'string' ? ' VALUE' : ''}`)
  const usage = `Options, all optional: ${names.join(', ')}.`
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const [sentence] = String((error as Error).message).split('. ') // parseArgs throws nothing but errors
    console.error(`${sentence}. ${usage}`)
    process.exit(2)
  }
}
