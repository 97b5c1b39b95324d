/** `pnpm import-contract`: imports a foreign contract as an interface, replaces it by a newer version, or removes it. */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { importedFile, isSpecInterface, type SpecInterfaceName, specInterfaces, specsFolder } from '../bundle.ts'
import { importInterface, importInto } from '../import/import.ts'
import { commit } from '../import/transaction.ts'
import { runScript } from '../run-script.ts'

const usage = `pnpm import-contract FILE --as NAME [--server URL] [--credential SCHEME|none]
       pnpm import-contract FILE --as NAME --into ${specInterfaces.join('|')}
       pnpm import-contract --remove NAME [--into ${specInterfaces.join('|')}]`
const help = `Usage: ${usage}

Imports an OpenAPI file (3.0 or 3.1, YAML or JSON) as an interface, or replaces it by a newer version.

  --as NAME            name of the interface
  --server URL         server of all operations; the first server of the contract by default
  --credential SCHEME  security scheme of the operations that state no security; none if they need no credential
  --into INTERFACE     adds the contract to an interface of the spec
  --remove NAME        removes an imported contract, with the decisions of its review
`

/** Names that an interface cannot have: names of files in the specs and in the generated code, and of commands of `cdn`. */
const reserved = new Set(
  `tools contracts interfaces limits spec specs
  api auth completion conformance emulator help logs profiles try version`.split(/\s+/),
)

const options = {
  as: { type: 'string' },
  server: { type: 'string' },
  credential: { type: 'string' },
  into: { type: 'string' },
  remove: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

function checkName(name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 30)
    throw new RangeError(
      `Invalid name ${JSON.stringify(name)}: expected up to 30 lower-case letters, digits and hyphens, such as edge-storage.`,
    )
  if (isSpecInterface(name))
    throw new RangeError(
      `The spec describes the interface ${name}; to extend it, choose another name and --into ${name}.`,
    )
  if (reserved.has(name)) throw new RangeError(`The name ${name} is reserved in this repository; choose another one.`)
}

async function removeContract(name: string, into: SpecInterfaceName | undefined): Promise<string> {
  checkName(name)
  const path = into ? importedFile(into, name) : name
  if (!existsSync(join(specsFolder, into ? path : `${path}/openapi.yaml`)))
    throw new RangeError(`No contract was imported as ${name}${into ? ` in ${into}` : ''}.`)
  const files = into ? [path] : readdirSync(join(specsFolder, name)).map((file) => `${name}/${file}`)
  await commit(into ?? name, Object.fromEntries(files.map((file) => [file, undefined])))
  await rm(join(specsFolder, path), { recursive: true, force: true })
  return `specs/${path} and all files generated from it were removed.\n`
}

async function main(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { as: name, into, remove: removed, help: isHelp, ...choices } = values
  if (isHelp) return help
  const [file, ...rest] = positionals
  if (into !== undefined && !isSpecInterface(into))
    throw new RangeError(`Invalid --into ${JSON.stringify(into)}: expected ${specInterfaces.join(' or ')}.`)
  if (removed !== undefined) {
    if (file !== undefined || name !== undefined || choices.server !== undefined || choices.credential !== undefined)
      throw new RangeError('Only --into can be combined with --remove.')
    return await removeContract(removed, into)
  }
  if (file === undefined || rest.length > 0)
    throw new RangeError('Expected one file, such as pnpm import-contract storage.yaml --as storage.')
  if (name === undefined) throw new RangeError('The interface needs a name, such as --as storage.')
  checkName(name)
  if (into !== undefined && (choices.server !== undefined || choices.credential !== undefined))
    throw new RangeError(`--server and --credential exclude --into: ${into} has a server and credentials.`)
  return await (into ? importInto(file, name, into) : importInterface(file, name, choices)).catch((error: Error) => {
    if (!(error instanceof RangeError)) throw error
    const reason = /call stack/.test(error.message) ? 'it is nested too deeply' : error.message
    throw new RangeError(`Cannot import ${basename(file)}: ${reason}.`)
  })
}

await runScript('see pnpm import-contract --help.', main)
