/** `pnpm generate --import FILE`: brings a contract that others wrote into the supplement of the management interface. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve } from 'node:path'
import { bundleFile, bundleWithout, importedName, type Overlay, specsFolder } from '../bundle.ts'
import { importContract } from '../import/contract.ts'
import { isObject, type Json } from '../import/json.ts'
import { redocly } from '../redocly.ts'
import { toKebab } from '../scaffold/names.ts'

/**
 * Writes `management/imported-<name>.overlay.yaml`, which the full contract includes from then on. What our own words would
 * say is filled in and marked `x-assumed`; a word that somebody has looked at since an earlier import stays.
 *
 * @param path the foreign contract: OpenAPI 3.0 or 3.1, YAML or JSON
 * @param folder the folder of the specs
 * @returns what was brought in, in a few lines
 * @throws RangeError in one sentence when the file is no such contract
 */
export async function importFile(path: string, folder: string = specsFolder): Promise<string> {
  const foreign = await readForeign(resolve(path))
  const name = toKebab(basename(path, extname(path)))
  const file = importedName('management', name)
  const contract = (await bundleWithout('management', file, folder)) as Json
  const earlier = await readEarlier(folder, file)
  const info = foreign['info'] as Json
  const source = `imported from ${basename(path)}, ${info['title']} ${info['version']} [C]`
  const { actions, operations, assumed, known } = importContract(foreign, { contract, earlier }, source)
  if (operations === 0) throw new RangeError(`${path} holds no operation that the contract lacks.`)
  const overlay: Overlay = {
    overlay: '1.0.0',
    info: { title: `Imported: ${info['title']}`, version: '1.0.0' },
    actions,
  }
  await writeYaml(join(folder, file), overlay)
  return `${operations} operations of ${basename(path)} stand in specs/${file}, as part of the supplement.
${assumed} words were filled in and are marked \`x-assumed\`: names out of operation ids, effects out of methods. Look at the effects
before a live run, and take the mark off what is right; another import leaves those alone.
${known.length > 0 ? `The contract has these already, so they were left out: ${known.join(', ')}\n` : ''}`
}

async function readForeign(path: string): Promise<Json> {
  const document = await bundleFile(specsFolder, path).catch((error: Error) => {
    throw new RangeError(`${path} cannot be read as an OpenAPI file: ${reasonIn(error.message)}.`)
  })
  if (!String(document['openapi']).startsWith('3.'))
    throw new RangeError(`${path} is no OpenAPI 3 file; convert a Swagger 2.0 file first.`)
  if (!isObject(document['info']) || !isObject(document['paths']))
    throw new RangeError(`${path} has no \`info\` or no \`paths\`.`)
  return document
}

/** The one line of Redocly's findings that says what is wrong. */
function reasonIn(findings: string): string {
  const [, place = ''] = / (at #\S+)/.exec(findings) ?? []
  const [reason] = /does not exist|(?<=^ {2}- ).+|Can't resolve \$ref/m.exec(findings) ?? ['it does not bundle']
  return `${reason} ${place}`.trim()
}

/** The path items of an earlier import. */
async function readEarlier(folder: string, file: string): Promise<Json> {
  const there = await readFile(join(folder, file), 'utf8').catch(() => undefined)
  if (there === undefined) return {}
  const { actions } = (await bundleFile(folder, file)) as unknown as Overlay
  return (actions.find(({ target }) => target === '$.paths')?.update ?? {}) as Json
}

/** Redocly writes what it reads in the format that a name asks for. */
async function writeYaml(path: string, overlay: Overlay): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'import-'))
  try {
    await writeFile(join(scratch, 'overlay.json'), JSON.stringify(overlay))
    const { code, stderr } = await redocly(['bundle', 'overlay.json', '--output', path], scratch)
    if (code !== 0) throw new Error(stderr)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [path, ...rest] = process.argv.slice(2)
  try {
    if (path === undefined || rest.length > 0)
      throw new RangeError('Say which file: pnpm generate --import openapi.yaml')
    process.stdout.write(await importFile(path))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
