import { pageStyles } from '@cdn/kit/page-styles'

/** The style sheet of the site. */
export const styles = `${pageStyles}
body { max-width: none; padding: 0; line-height: 1.6; display: grid; grid-template: auto 1fr / 17rem minmax(0, 1fr) }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; justify-content: space-between; padding: .7rem 1.5rem;
  background: var(--sheet); border-bottom: 1px solid var(--line) }
.home { color: var(--text); font-weight: 650; text-decoration: none }
.menu { display: none }
nav { grid-area: 2 / 1; position: sticky; top: 3rem; height: calc(100vh - 3rem); overflow-y: auto; padding: 0 1rem 2rem 1.5rem; font-size: .9rem; border-right: 1px solid var(--line) }
nav summary { margin-top: 1rem; padding: .16rem 0; font-size: .84rem; font-weight: 600; color: var(--muted); cursor: pointer }
nav ul { list-style: none }
nav ul ul { margin: .1rem 0 .4rem .6rem; border-left: 1px solid var(--line) }
nav li a { display: block; padding: .16rem .6rem; border-radius: 6px; color: var(--text); text-decoration: none }
nav li li a { color: var(--muted); font-size: .86rem }
nav a:hover { background: var(--soft) }
nav a[aria-current] { background: var(--soft); font-weight: 600 }
main { grid-area: 2 / 2; width: 100%; max-width: 56rem; margin: 0 auto; padding: 2rem 2.5rem 5rem }
main:has(.operation) { max-width: 86rem }
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; text-wrap: balance }
h2 { margin-top: 2.6rem; font-size: 1.35rem }
h2:target, h3:target { box-shadow: none; scroll-margin-top: 1rem }
td:first-child code { white-space: nowrap }
h3 { margin: 1.6rem 0 .5rem; font-size: 1rem }
main p, main ul, main ol, main pre, main .scroll, main blockquote { margin: 0 0 1rem }
main ul, main ol { padding-left: 1.4rem }
li > ul, li > p { margin: 0 }
main :not(pre) > code { padding: .08em .3em; border-radius: 4px; background: var(--soft) }
main a code { color: inherit }
main pre { max-height: none; font-size: .84rem; white-space: pre; overflow-wrap: normal }
main pre code { font-size: 1em }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 10px }
.operation { display: grid; grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr); gap: 0 2.5rem; padding-top: 2.4rem; margin-top: 2.4rem; border-top: 1px solid var(--line) }
.operation h2 { margin-top: 0 }
.operation h2 + p code { padding: .2em .5em; font-weight: 600 }
.operation h3 { font-size: .9rem }
.operation table { font-size: .86rem }
.examples { position: sticky; top: 4.5rem; align-self: start }
.examples p { margin-bottom: .4rem }
br + code { color: var(--muted) }
@media (max-width: 70rem) { .operation { display: block } .examples { position: static } }
@media (max-width: 48rem) {
  body { display: block }
  header { padding: .6rem 1rem }
  .menu { display: inline }
  main { padding: 1.2rem 1rem 2rem }
  h1 { font-size: 1.5rem }
  nav { position: static; height: auto; padding: 0 1rem 3rem; border: 0; border-top: 1px solid var(--line) }
  nav li a { padding: .4rem .6rem }
  th, td { padding: .45rem .5rem }
}
@media print { header, nav { display: none } body { display: block } main { max-width: none } }
`
