import { CommandError } from '../terminal/command-error.ts'
import { systemCode } from '../terminal/error-kinds.ts'

/**
 * Loads an optional package.
 *
 * @throws CommandError with the package's name if it is not installed
 */
export async function loadOptional<Part>(name: string, part: () => Promise<Part>): Promise<Part> {
  try {
    return await part()
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND' || !String(error).includes(name)) throw error
    throw new CommandError(`This needs the package ${name}, which is not installed. Run: npm install --global ${name}`)
  }
}
