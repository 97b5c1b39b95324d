import { CommandError } from '../terminal/command-error.ts'

/**
 * Loads an optional package.
 *
 * @throws CommandError with its name, if it is not installed
 */
export async function loadOptional<Part>(name: string, part: () => Promise<Part>): Promise<Part> {
  try {
    return await part()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(name)) throw error
    throw new CommandError(`This needs the package ${name}, which is not installed. Run: npm install --global ${name}`)
  }
}
