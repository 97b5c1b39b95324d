import { specsFolder } from './bundle.ts'

/**
 * Runs a script. A wrong command line or a RangeError becomes one sentence, and the exit code is 2.
 *
 * @param usage end of the sentence about a wrong option
 * @param main gets the arguments; returns the output, or the exit code
 */
export async function runScript(
  usage: string,
  main: (args: string[]) => Promise<string | number | undefined>,
): Promise<void> {
  try {
    const result = await main(process.argv.slice(2))
    if (typeof result === 'string') process.stdout.write(result)
    else process.exitCode = result
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isUsage = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    if (!isUsage && !(error instanceof RangeError)) throw error
    const sentence = isUsage ? `${error.message.split('. ')[0]}: ${usage}` : error.message
    console.error(sentence.replaceAll(specsFolder, 'specs'))
    process.exitCode = 2
  }
}
