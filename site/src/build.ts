/** `pnpm docs:build`: writes the site to `dist/site/`. The pages work as local files, under any address, and without scripts. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { contracts } from '@cdn/api/contract'
import { renderMarkdown } from './markdown.ts'
import { type Page, renderPage } from './page.ts'
import { referenceText } from './reference.ts'

const root = join(import.meta.dirname, '../..')
const generated: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(contracts).map((contract) => [`reference/${contract.interface}.md`, referenceText(contract)]),
)

/** The headings of the navigation, each with its files. A file that matches several patterns belongs to the first heading. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Use: ['README.md', 'docs/*.md'],
  Reference: Object.keys(generated),
  Packages: ['packages/*/README.md', 'apps/*/README.md', 'apps/README.md'],
  Project: ['specs/*.md', '*.md', 'bench/README.md', 'deploy/README.md'],
  Decisions: ['docs/decisions/*.md'],
}

/**
 * Writes the site: one page per Markdown file of `groups`, the other files that the pages link to, and the OpenAPI documents.
 *
 * @param out the folder; its content is replaced
 * @returns the paths of the pages
 */
export function buildSite(out: string): readonly string[] {
  const groupOf = new Map<string, string>()
  for (const [group, patterns] of Object.entries(groups))
    for (const file of patterns.flatMap((pattern) =>
      generated[pattern] ? pattern : globSync(pattern, { cwd: root }).sort(),
    ))
      if (!groupOf.has(file)) groupOf.set(file, group)
  rmSync(out, { recursive: true, force: true })
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), content)
  }
  for (const { interface: name, openapi } of Object.values(contracts))
    write(`reference/${name}.json`, JSON.stringify(openapi.full, null, 2))
  const pages = [...groupOf].map(([file, group]): Page => {
    const text = generated[file] ?? readFileSync(join(root, file), 'utf8')
    const toTarget = (href: string, isImage: boolean) => {
      const [name = '', anchor] = decodeURIComponent(href).split('#')
      const target = posix.join(posix.dirname(file), name)
      if (/^(?:$|https?:|mailto:)/.test(name)) return href
      if (isImage) return `data:image/${extname(name).slice(1)};base64,${readFileSync(join(root, target), 'base64')}`
      if (groupOf.has(target))
        return `${posix.relative(posix.dirname(file), pathOf(target))}${anchor ? `#${anchor}` : ''}`
      if (!existsSync(join(out, target))) write(target, readFileSync(join(root, target)))
      return href
    }
    return { ...renderMarkdown(text, toTarget), group, path: pathOf(file) }
  })
  for (const page of pages) write(page.path, renderPage(page, pages))
  return pages.map(({ path }) => path)
}

function pathOf(file: string): string {
  return file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html')
}

if (import.meta.main) console.log(`dist/site/index.html: ${buildSite(join(root, 'dist/site')).length} pages`)
