import { posix } from 'node:path'
import { html, render, trusted } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import { pageStyles } from '@cdn/kit/page-styles'

const siteTitle = 'CDN toolkit'

/** A page of the site. */
export interface Page {
  readonly title: string
  readonly markup: string
  /** Heading of the navigation that lists the page. */
  readonly group: string
  readonly path: string
}

/** Returns the HTML of a page with the navigation of the site. The HTML has no script, loads nothing, and has relative links. */
export function renderPage(page: Page, pages: readonly Page[]): string {
  const linkTo = (path: string) => posix.relative(posix.dirname(page.path), path)
  const entry = (one: Page) => html`
<li><a href="${linkTo(one.path)}"${one === page && html` aria-current="page"`}>${one.path === 'index.html' ? 'Overview' : one.title}</a></li>`
  const groups = [...Map.groupBy(pages, ({ group }) => group)]
  return render(html`<!doctype html>
<html lang="en">
${headOf(`${page.title} · ${siteTitle}`, styles)}
<body>
<a class="skip-link" href="#main">Skip to the content</a>
<main id="main" tabindex="-1">
${trusted(page.markup)}
</main>
<nav id="navigation" aria-label="Site">${groups.map(
    ([title, members]) => html`
<details${title === page.group && html` open`}><summary>${title}</summary><ul>${members.map(entry)}</ul></details>`,
  )}
</nav>
</body>
</html>
`)
}

const styles = `${pageStyles}
body { max-width: none; padding: 0; line-height: 1.6; display: grid; grid-template: 1fr / 17rem minmax(0, 1fr) }
nav { grid-area: 1 / 1; padding: 0 1rem 2rem 1.5rem; font-size: .9rem; border-right: 1px solid var(--line) }
nav summary { margin-top: 1rem; font-weight: 600; color: var(--muted); cursor: pointer }
nav ul { list-style: none }
nav a { display: block; padding: .16rem .6rem; color: var(--text); text-decoration: none }
nav a:hover, nav a[aria-current] { background: var(--soft) }
main { grid-area: 1 / 2; width: 100%; max-width: 60rem; margin: 0 auto; padding: 2rem 2.5rem 5rem }
h2 { margin-top: 2.6rem }
main p, main ul, main ol, main pre, main .scroll { margin: 0 0 1rem }
main ul, main ol { padding-left: 1.4rem }
main :not(pre) > code { background: var(--soft) }
main pre { max-height: none; white-space: pre; overflow-wrap: normal }
img { max-width: 100% }
@media (max-width: 48rem) {
  body { display: block }
  main { padding: 1.2rem 1rem 2rem }
  nav { border: 0; border-top: 1px solid var(--line) }
}
`
