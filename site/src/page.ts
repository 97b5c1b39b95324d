import { posix } from 'node:path'
import { html, render, trusted } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import type { Rendered } from './markdown.ts'
import { styles } from './styles.ts'

export const siteTitle = 'CDN toolkit'

/** A page of the site. */
export interface Page extends Rendered {
  /** Heading of the navigation under which the page stands. */
  readonly group: string
  /** Path of its Markdown file in the site. */
  readonly file: string
  readonly path: string
}

/** Returns a page with the navigation of the site. It has no script, loads nothing, and its links are relative. */
export function renderPage(page: Page, pages: readonly Page[]): string {
  const linkTo = (path: string) => posix.relative(posix.dirname(page.path), path)
  const entry = (one: Page) => html`
<li><a href="${linkTo(one.path)}"${one === page && html` aria-current="page"`}>${one.path === 'index.html' ? 'Overview' : one.title}</a>${
    one === page &&
    one.parts.length > 1 &&
    html`<ul>${one.parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}</ul>`
  }</li>`
  // Only the groups that a reader needs next are open, so that the current page is always in sight.
  const group = ([title, members]: readonly [string, readonly Page[]], index: number) => html`
<details${(index < 2 || title === page.group) && html` open`}><summary>${title}</summary><ul>${members.map(entry)}</ul></details>`
  const groups = [...Map.groupBy(pages, ({ group }) => group)]
  return render(html`<!doctype html>
<html lang="en">
${headOf(`${page.title} · ${siteTitle}`, styles)}
<body>
<a class="skip-link" href="#main">Skip to the content</a>
<header><a class="home" href="${linkTo('index.html')}">${siteTitle}</a><a class="menu" href="#navigation">Menu</a></header>
<main id="main" tabindex="-1">
${trusted(page.markup)}
</main>
<nav id="navigation" aria-label="Site">${groups.map(group)}
</nav>
</body>
</html>
`)
}
