/** `pnpm import-contract FILE --as NAME`: imports a foreign contract as an interface, or replaces it by a newer version. */
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { isSpecInterface, type SpecInterfaceName, specInterfaces, specsFolder } from '../bundle.ts'
import { importInterface } from '../import/interface.ts'
import { importInto } from '../import/into.ts'

const usage = `pnpm import-contract FILE --as NAME [--server URL] [--into ${specInterfaces.join('|')}]`

/** Names that an interface cannot have: names of files in the specs and in the generated code, and of commands of `cdn`. */
const reserved = new Set(
  `tools contracts interfaces limits spec specs
  api auth completion conformance emulator help logs profiles try version`.split(/\s+/),
)

interface Arguments {
  readonly file: string
  readonly name: string
  readonly server?: string | undefined
  readonly into?: SpecInterfaceName
}

function readArguments(args: readonly string[]): Arguments {
  const options = { as: { type: 'string' }, server: { type: 'string' }, into: { type: 'string' } } as const
  const { values, positionals } = parse(() => parseArgs({ args: [...args], options, allowPositionals: true }))
  const [file, ...rest] = positionals
  const { as: name, server, into } = values
  if (file === undefined || rest.length > 0) throw new RangeError(`Expected one file: ${usage}`)
  if (name === undefined) throw new RangeError(`The interface needs a name: ${usage}`)
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 30)
    throw new RangeError(
      `Invalid name ${JSON.stringify(name)}: expected up to 30 lower-case letters, digits and hyphens, such as edge-storage.`,
    )
  if (isSpecInterface(name))
    throw new RangeError(
      `The spec describes the interface ${name}; to extend it, choose another name and --into ${name}.`,
    )
  if (reserved.has(name)) throw new RangeError(`The name ${name} is reserved in this repository; choose another one.`)
  if (into !== undefined && !isSpecInterface(into))
    throw new RangeError(`Invalid --into ${JSON.stringify(into)}: expected ${specInterfaces.join(' or ')}.`)
  if (into !== undefined && server !== undefined)
    throw new RangeError(`--server and --into exclude each other: ${into} has a server.`)
  return { file, name, server, ...(into !== undefined && { into }) }
}

/** Runs `read`, and turns an invalid option into a sentence. */
function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [sentence] = error.message.split('. ')
    throw new RangeError(`${sentence}: ${usage}`)
  }
}

try {
  const { file, name, server, into } = readArguments(process.argv.slice(2))
  const summary = await (into ? importInto(file, name, into) : importInterface(file, name, server)).catch(
    (error: Error) => {
      if (!(error instanceof RangeError)) throw error
      const reason = /call stack/.test(error.message) ? 'it is nested too deeply' : error.message
      throw new RangeError(`Cannot import ${basename(file)}: ${reason}.`)
    },
  )
  process.stdout.write(summary)
} catch (error) {
  if (!(error instanceof RangeError)) throw error
  console.error(error.message.replaceAll(specsFolder, 'specs'))
  process.exitCode = 2
}
