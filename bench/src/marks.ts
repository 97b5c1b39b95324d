import { readFile, writeFile } from 'node:fs/promises'

/**
 * Reads the text between the marks `<!-- NAME -->` and `<!-- /NAME -->` of a file.
 *
 * @throws Error if a mark is missing
 */
export async function readBetween(file: string, name: string): Promise<string> {
  return split(file, await readFile(file, 'utf8'), name)[1]
}

/** Replaces the text between the two marks of a file. @throws Error if a mark is missing */
export async function writeBetween(file: string, name: string, text: string): Promise<void> {
  const [before, , after] = split(file, await readFile(file, 'utf8'), name)
  await writeFile(file, `${before}\n\n${text}\n\n${after}`)
}

function split(file: string, text: string, name: string): [before: string, between: string, after: string] {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)]
  if (!text.includes(start) || to < from) throw new Error(`Missing marks in ${file}: expected ${start} and ${end}`)
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}
