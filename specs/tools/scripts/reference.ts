/** `pnpm docs:build`: writes one reference page per interface to `dist/reference/`. The pages list all unspecified points. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toRecord } from '@cdn/kit/record'
import { bundleContract, interfaces, specsFolder } from '../bundle.ts'
import type { Json } from '../import/json.ts'
import { methods } from '../import/operations.ts'
import { redocly } from '../redocly.ts'
import { withScratch } from '../scratch.ts'

/** An entry of `x-requirements` or `x-unspecified`. */
interface Listed {
  readonly id: string
  readonly section: string
  readonly text: string
}

/** An object that may have both lists. They are shown in its description. */
interface Described {
  description?: string
  readonly 'x-unspecified'?: readonly Listed[]
  readonly 'x-requirements'?: readonly Listed[]
}

interface Contract extends Described {
  readonly info: Described
  readonly tags?: readonly Described[]
  readonly paths: Readonly<Record<string, Described & Readonly<Record<string, Described>>>>
}

/**
 * Adds the requirements and the unspecified points to the descriptions as text, because the renderer ignores `x-` keys.
 *
 * @param full the layer `full`
 * @param document the layer `document`; operations that it lacks are marked as supplement
 */
export function annotate(full: Json, document: Json): Contract {
  const clone: unknown = structuredClone(full)
  const copy = clone as Contract // `pnpm lint` checks this structure
  append(copy.info, sentences(copy))
  for (const tag of copy.tags ?? []) append(tag, sentences(tag))
  for (const [path, item] of Object.entries(copy.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      const stated = toRecord(toRecord(document['paths'])[path])[method] !== undefined
      append(operation, [
        ...(stated ? [] : ['> **Supplement**: not in the spec, but publicly known.']),
        ...sentences(item),
        ...sentences(operation),
      ])
    }
  }
  return copy
}

function append(node: Described, paragraphs: readonly string[]): void {
  node.description = [node.description, ...paragraphs].filter(Boolean).join('\n\n')
}

function sentences(node: Described): string[] {
  const list = (title: string, entries: readonly Listed[] = []) =>
    entries.length > 0
      ? [
          `**${title}**\n\n${entries.map(({ section, text, id }) => `- (${place(section)}) ${text} \`${id}\``).join('\n')}`,
        ]
      : []
  return [...list('Requirements', node['x-requirements']), ...list('Unspecified', node['x-unspecified'])]
}

/** Formats a section of the spec, or a heading of the supplement. */
function place(section: string): string {
  return /^\d/.test(section) ? `§${section}` : section
}

/**
 * Writes one page.
 *
 * @param out the folder
 * @throws Error with Redocly's findings
 */
export async function buildReference(name: string, out: string): Promise<void> {
  const [full, document] = await Promise.all([bundleContract(name, 'full'), bundleContract(name, 'document')])
  await withScratch(async (scratch) => {
    const source = join(scratch, `${name}.json`)
    await writeFile(source, JSON.stringify(annotate(full, document)))
    await mkdir(out, { recursive: true })
    const page = join(out, `${name}.html`)
    const { code, stderr } = await redocly(['build-docs', source, '--output', page, '--inlineBundle'], specsFolder)
    if (code !== 0) throw new Error(stderr)
  })
}

if (import.meta.main) {
  const out = join(specsFolder, '../dist/reference')
  for (const name of interfaces) await buildReference(name, out)
  console.log(interfaces.map((name) => `dist/reference/${name}.html`).join('\n'))
}
